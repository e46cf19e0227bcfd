namespace ChatSample.Rooms;

/// <summary>A room, and how many are in it.</summary>
public sealed record RoomSummary(string Name, int People);
