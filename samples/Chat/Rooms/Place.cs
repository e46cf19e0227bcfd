namespace ChatSample.Rooms;

/// <summary>Where a connection is, and under which name the others see it.</summary>
public sealed record Place(Room Room, string Name);
