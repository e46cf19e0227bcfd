using System.Net;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The log messages of a connection.</summary>
internal static partial class ConnectionLogs
{
    [LoggerMessage(LogEvents.ConnectionStart, LogLevel.Debug,
        "Connection id \"{ConnectionId}\" started.", EventName = nameof(LogEvents.ConnectionStart))]
    public static partial void Started(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.ConnectionStop, LogLevel.Debug,
        "Connection id \"{ConnectionId}\" stopped: {Reason}.", EventName = nameof(LogEvents.ConnectionStop))]
    public static partial void Stopped(ILogger logger, string connectionId, ConnectionEndReason reason);

    [LoggerMessage(LogEvents.ProtocolViolation, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the peer does not speak {Protocol}: {Violation}.",
        EventName = nameof(LogEvents.ProtocolViolation))]
    public static partial void ProtocolViolation(
        ILogger logger, string connectionId, string protocol, ProtocolViolation violation);

    [LoggerMessage(LogEvents.ForeignProtocol, LogLevel.Warning,
        "{LocalEndPoint} speaks {Protocol}, but {Peer} connected and spoke {Spoken}. {Advice} " +
        "({Count} such connections since the last such entry.)",
        EventName = nameof(LogEvents.ForeignProtocol))]
    public static partial void ForeignPeer(
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
    public static partial void Refused(ILogger logger, string connectionId, int requestId, string reason);

    [LoggerMessage(LogEvents.PeerAborted, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: aborted by the web server.",
        EventName = nameof(LogEvents.PeerAborted))]
    public static partial void PeerAborted(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ResponseTorn, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the response broke off, the connection is closed.",
        EventName = nameof(LogEvents.ResponseTorn))]
    public static partial void Torn(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ConnectionAborted, LogLevel.Debug,
        "Connection id \"{ConnectionId}\" aborted: {Reason}.", EventName = nameof(LogEvents.ConnectionAborted))]
    public static partial void Aborted(ILogger logger, string connectionId, string reason);

    [LoggerMessage(LogEvents.PeerDoesNotRead, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": the web server does not read its answers; until it does, nothing is read " +
        "from it.",
        EventName = nameof(LogEvents.PeerDoesNotRead))]
    public static partial void PeerDoesNotRead(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.SendTimedOut, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the web server took nothing of what waits for it (SendTimeout).",
        EventName = nameof(LogEvents.SendTimedOut))]
    public static partial void SendTimedOut(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.ResponseMinimumDataRateNotSatisfied, LogLevel.Debug,
        "Connection id \"{ConnectionId}\": closed, the web server takes a response too slowly (MinResponseDataRate).",
        EventName = nameof(LogEvents.ResponseMinimumDataRateNotSatisfied))]
    public static partial void ResponseTooSlow(ILogger logger, string connectionId);

    [LoggerMessage(LogEvents.AbortedByStop, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: {Target} is aborted by the stop of the server, " +
        "{Seconds:F1} s after it began: {State}.",
        EventName = nameof(LogEvents.AbortedByStop))]
    public static partial void AbortedByStop(
        ILogger logger, string connectionId, int requestId, string target, double seconds, string state);

    [LoggerMessage(LogEvents.SlowRequest, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": {Target} has run for {Seconds:F0} s: " +
        "{State}.",
        EventName = nameof(LogEvents.SlowRequest))]
    public static partial void SlowRequest(
        ILogger logger, string connectionId, string traceIdentifier, string target, double seconds, string state);

    [LoggerMessage(LogEvents.RequestTimedOut, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": {Target} has run for {Seconds:F0} s " +
        "(RequestTimeout): {State}. {Outcome}",
        EventName = nameof(LogEvents.RequestTimedOut))]
    public static partial void RequestTimedOut(
        ILogger logger,
        string connectionId,
        string traceIdentifier,
        string target,
        double seconds,
        string state,
        string outcome);

    [LoggerMessage(LogEvents.RequestBodyNotEntirelyRead, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the rest of the request body is given up.",
        EventName = nameof(LogEvents.RequestBodyNotEntirelyRead))]
    public static partial void BodyNotDrained(ILogger logger, string connectionId, int requestId);

    [LoggerMessage(LogEvents.ConnectionFailed, LogLevel.Error,
        "Connection id \"{ConnectionId}\": the server failed.", EventName = nameof(LogEvents.ConnectionFailed))]
    public static partial void Failed(ILogger logger, Exception exception, string connectionId);
}
