namespace ChatSample.Rooms;

/// <summary>
/// What somebody finds who goes into a room: their name, with a number behind it where another of that name is there,
/// everybody who is there, themselves included, and the last messages, the oldest first. The memory has another id when
/// the server has forgotten the room in between, after a restart for example, and counts its messages anew.
/// </summary>
public sealed record Entrance(
    string Room, string Name, IReadOnlyList<string> People, IReadOnlyList<ChatMessage> Messages, Guid Memory);
