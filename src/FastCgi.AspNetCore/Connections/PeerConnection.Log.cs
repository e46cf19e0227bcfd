using System.Net;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

internal abstract partial class PeerConnection
{
    [LoggerMessage(LogEvents.ConnectionStart, LogLevel.Debug,
        "Connection id \"{ConnectionId}\" started.", EventName = nameof(LogEvents.ConnectionStart))]
    private static partial void LogStarted(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.ConnectionStop, LogLevel.Debug,
        "Connection id \"{ConnectionId}\" stopped: {Reason}.", EventName = nameof(LogEvents.ConnectionStop))]
    private static partial void LogStopped(ILogger logger, string connectionId, ConnectionEndReason reason);

    [LoggerMessage(LogEvents.ProtocolViolation, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the peer does not speak {Protocol}: {Violation}.",
        EventName = nameof(LogEvents.ProtocolViolation))]
    private static partial void LogProtocolViolation(
        ILogger logger, string connectionId, string protocol, ProtocolViolation violation);

    [LoggerMessage(LogEvents.ForeignProtocol, LogLevel.Warning,
        "{LocalEndPoint} speaks {Protocol}, but {Peer} connected and spoke {Spoken}. {Advice} " +
        "({Count} such connections since the last such entry.)",
        EventName = nameof(LogEvents.ForeignProtocol))]
    private static partial void LogForeignProtocol(
        ILogger logger,
        EndPoint? localEndPoint,
        string protocol,
        string peer,
        string spoken,
        string advice,
        long count);

    [LoggerMessage(LogEvents.RequestRefused, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: refused, {Reason}",
        EventName = nameof(LogEvents.RequestRefused))]
    protected static partial void LogRefused(ILogger logger, string connectionId, int requestId, string reason);

    [LoggerMessage(LogEvents.PeerAborted, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: aborted by the web server.",
        EventName = nameof(LogEvents.PeerAborted))]
    protected static partial void LogPeerAborted(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ResponseTorn, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the response broke off, the connection is closed.",
        EventName = nameof(LogEvents.ResponseTorn))]
    private static partial void LogTorn(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ConnectionAborted, LogLevel.Debug,
        "Connection id \"{ConnectionId}\" aborted: {Reason}.", EventName = nameof(LogEvents.ConnectionAborted))]
    private static partial void LogAborted(ILogger logger, string connectionId, string reason);

    [LoggerMessage(LogEvents.PeerDoesNotRead, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": the web server does not read its answers; until it does, nothing is read " +
        "from it.",
        EventName = nameof(LogEvents.PeerDoesNotRead))]
    private static partial void LogPeerDoesNotRead(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.SendTimedOut, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the web server took nothing of what waits for it (SendTimeout).",
        EventName = nameof(LogEvents.SendTimedOut))]
    private static partial void LogSendTimedOut(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.AbortedByStop, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: {Target} is aborted by the stop of the server, " +
        "{Seconds:F1} s after it began: {State}.",
        EventName = nameof(LogEvents.AbortedByStop))]
    private static partial void LogAbortedByStop(
        ILogger logger, string connectionId, int requestId, string target, double seconds, string state);

    [LoggerMessage(LogEvents.RequestBodyNotEntirelyRead, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the rest of the request body did not come; " +
        "the connection is closed.",
        EventName = nameof(LogEvents.RequestBodyNotEntirelyRead))]
    private static partial void LogBodyNotDrained(ILogger logger, string connectionId, int requestId);
}
