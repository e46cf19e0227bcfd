namespace ChatSample.Rooms;

/// <summary>What somebody said; ids count up in a room.</summary>
public sealed record ChatMessage(long Id, string Name, string Text, DateTimeOffset Time);
