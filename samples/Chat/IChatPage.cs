using ChatSample.Rooms;

namespace ChatSample;

/// <summary>What a page is told without having asked.</summary>
public interface IChatPage
{
    Task Said(ChatMessage message);

    /// <param name="name">Of who came.</param>
    /// <param name="people">Everybody who is there now.</param>
    Task Came(string name, IReadOnlyList<string> people);

    /// <inheritdoc cref="Came"/>
    Task Left(string name, IReadOnlyList<string> people);

    Task Typing(string name);
}
