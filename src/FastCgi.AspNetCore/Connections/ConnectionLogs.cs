using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The log messages of a connection.</summary>
internal static partial class ConnectionLogs
{
    [LoggerMessage(LogEvents.ConnectionStart, LogLevel.Debug, "Connection id \"{ConnectionId}\" started.")]
    public static partial void ConnectionStart(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.ConnectionStop, LogLevel.Debug, "Connection id \"{ConnectionId}\" stopped: {Reason}.")]
    public static partial void ConnectionStop(ILogger logger, string connectionId, ConnectionEndReason reason);

    [LoggerMessage(LogEvents.ProtocolViolation, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the peer does not speak {Protocol}: {Violation}.")]
    public static partial void ProtocolViolation(
        ILogger logger, string connectionId, string protocol, ProtocolViolation violation);

    [LoggerMessage(LogEvents.ForeignProtocol, LogLevel.Warning,
        "{LocalEndPoint} speaks {Protocol}, but {Peer} connected and spoke {Spoken}. {Advice} " +
        "({Count} such connections since the last such entry.)")]
    public static partial void ForeignProtocol(
        ILogger logger,
        EndPoint? localEndPoint,
        string protocol,
        string peer,
        string spoken,
        string advice,
        long count);

    [LoggerMessage(LogEvents.RequestRefused, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: refused, {Reason}")]
    public static partial void RequestRefused(ILogger logger, string connectionId, int requestId, string reason);

    [LoggerMessage(LogEvents.PeerAborted, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: aborted by the web server.")]
    public static partial void PeerAborted(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ResponseTorn, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the response broke off, the connection is closed.")]
    public static partial void ResponseTorn(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ConnectionAborted, LogLevel.Debug, "Connection id \"{ConnectionId}\" aborted: {Reason}.")]
    public static partial void ConnectionAborted(ILogger logger, string connectionId, string reason);

    [LoggerMessage(LogEvents.PeerDoesNotRead, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": the web server does not read its answers; until it does, nothing is read " +
        "from it.")]
    public static partial void PeerDoesNotRead(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.SendTimedOut, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the web server took nothing of what waits for it (SendTimeout).")]
    public static partial void SendTimedOut(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.ResponseMinimumDataRateNotSatisfied, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the web server takes a response too slowly (MinResponseDataRate).")]
    public static partial void ResponseMinimumDataRateNotSatisfied(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.AbortedByStop, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: {Target} is aborted by the stop of the server, " +
        "{Seconds:F1} s after it began: {State}.")]
    public static partial void AbortedByStop(
        ILogger logger, string connectionId, int requestId, string target, double seconds, string state);

    [LoggerMessage(LogEvents.SlowRequest, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": {Target} has run for {Seconds:F0} s: " +
        "{State}.")]
    public static partial void SlowRequest(
        ILogger logger, string connectionId, string traceIdentifier, string target, double seconds, string state);

    [LoggerMessage(LogEvents.RequestTimedOut, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": {Target} has run for {Seconds:F0} s " +
        "(RequestTimeout): {State}. {Outcome}")]
    public static partial void RequestTimedOut(
        ILogger logger,
        string connectionId,
        string traceIdentifier,
        string target,
        double seconds,
        string state,
        string outcome);

    [LoggerMessage(LogEvents.RequestBodyNotEntirelyRead, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the rest of the request body is given up.")]
    public static partial void RequestBodyNotEntirelyRead(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ConnectionFailed, LogLevel.Error, "Connection id \"{ConnectionId}\": the server failed.")]
    public static partial void ConnectionFailed(ILogger logger, Exception exception, string connectionId);
}
