using Microsoft.AspNetCore.SignalR;

namespace ChatSample;

/// <summary>What people may type. The page has the same limits, but a page can be changed by whoever shows it.</summary>
internal static class ChatText
{
    /// <summary>Characters (UTF-16) of a name or a room.</summary>
    public const int MaxNameLength = 32;

    /// <summary>Characters (UTF-16) of a message; at its longest in JSON it is below SignalR's limit of 32 KiB.</summary>
    public const int MaxMessageLength = 2000;

    public static string PersonName(string text) => Name(text, "Your name");

    public static string RoomName(string text) => Name(text, "The room's name");

    public static string Message(string text) => Checked(text, "A message", MaxMessageLength);

    /// <summary>On one line: what would break it is refused.</summary>
    private static string Name(string text, string what)
    {
        var name = Checked(text, what, MaxNameLength);
        return name.Any(char.IsControl) ? throw new HubException($"{what} has a character that cannot be shown.") : name;
    }

    private static string Checked(string? text, string what, int maxLength)
    {
        var trimmed = text?.Trim() ?? "";
        return trimmed.Length switch
        {
            0 => throw new HubException($"{what} is empty."),
            var length when length > maxLength => throw new HubException(
                $"{what} has {length} characters; {maxLength} are allowed."),
            _ => trimmed,
        };
    }
}
