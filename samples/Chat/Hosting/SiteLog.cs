namespace ChatSample.Hosting;

/// <summary>The lines of the log that an operator looks for.</summary>
internal static partial class SiteLog
{
    [LoggerMessage(1, LogLevel.Information, "Room {Room} was made; there are {Rooms}.")]
    public static partial void RoomMade(this ILogger logger, string room, int rooms);

    [LoggerMessage(2, LogLevel.Information, "Connection {Connection} is refused a room: it has made {Rooms}.")]
    public static partial void RoomRefused(this ILogger logger, string connection, int rooms);

    /// <summary>At a low level: a page that calls without a pause would fill the log.</summary>
    [LoggerMessage(3, LogLevel.Debug, "Connection {Connection} calls too fast.")]
    public static partial void TooFast(this ILogger logger, string connection);
}
