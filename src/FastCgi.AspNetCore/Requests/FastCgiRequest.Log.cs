using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests;

internal sealed partial class FastCgiRequest
{
    [LoggerMessage(LogEvents.ApplicationError, LogLevel.Error,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": " +
        "An unhandled exception was thrown by the application.",
        EventName = nameof(LogEvents.ApplicationError))]
    private static partial void LogApplicationError(
        ILogger logger, Exception exception, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ServerError, LogLevel.Critical,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the server failed on this request.",
        EventName = nameof(LogEvents.ServerError))]
    private static partial void LogServerError(
        ILogger logger, Exception exception, string connectionId, int requestId);

    [LoggerMessage(LogEvents.BadRequest, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": bad request: {Message}",
        EventName = nameof(LogEvents.BadRequest))]
    private static partial void LogBadRequest(
        ILogger logger, string connectionId, string traceIdentifier, string message);

    [LoggerMessage(LogEvents.RequestRejected, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: rejected before the application: {Detail}",
        EventName = nameof(LogEvents.RequestRejected))]
    private static partial void LogRejected(ILogger logger, string connectionId, int requestId, string detail);

    [LoggerMessage(LogEvents.ParamsMissing, LogLevel.Warning,
        "{Detail}", EventName = nameof(LogEvents.ParamsMissing))]
    private static partial void LogParamsMissing(ILogger logger, string detail);

    [LoggerMessage(LogEvents.RequestAborted, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": " +
        "the application ended with an exception after the request was aborted.",
        EventName = nameof(LogEvents.RequestAborted))]
    private static partial void LogAbortedQuietly(
        ILogger logger, Exception exception, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ApplicationAbortedConnection, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the application aborted the request.",
        EventName = nameof(LogEvents.ApplicationAbortedConnection))]
    private static partial void LogApplicationAborted(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ConnectionUpgraded, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the connection was upgraded.",
        EventName = nameof(LogEvents.ConnectionUpgraded))]
    private static partial void LogUpgraded(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.HeadBodyIgnored, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the response to HEAD has a body; it is dropped.",
        EventName = nameof(LogEvents.HeadBodyIgnored))]
    private static partial void LogHeadBodyIgnored(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ResponseHeadersDropped, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": Status, Connection, Transfer-Encoding and " +
        "their like belong to the web server; such headers of the response were left out.",
        EventName = nameof(LogEvents.ResponseHeadersDropped))]
    private static partial void LogHeadersDropped(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.RequestBodyStart, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": started reading the request body.",
        EventName = nameof(LogEvents.RequestBodyStart))]
    private static partial void LogBodyStarted(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.LargeResponseHead, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the response head has {Size} bytes. " +
        "nginx answers 502 when it exceeds fastcgi_buffer_size (4k or 8k by default): set 'fastcgi_buffer_size 32k;' " +
        "and 'fastcgi_buffers 16 32k;', or send smaller cookies. Said once.",
        EventName = nameof(LogEvents.LargeResponseHead))]
    private static partial void LogLargeHead(ILogger logger, string connectionId, string traceIdentifier, int size);

    [LoggerMessage(LogEvents.HostWithoutPort, LogLevel.Warning,
        "The Host '{Host}' has no port, but the web server listens on port {Port}: redirects and absolute URLs will miss " +
        "it. In nginx, add 'fastcgi_param HTTP_HOST $http_host;' behind 'include fastcgi_params;'. Said once.",
        EventName = nameof(LogEvents.HostWithoutPort))]
    private static partial void LogHostWithoutPort(ILogger logger, string? host, string? port);

    [LoggerMessage(LogEvents.ForwardingHeaderIgnored, LogLevel.Information,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the param {Param} is not shown in the " +
        "request headers, since any client can send it. Scheme, host and address are right without it: remove " +
        "UseForwardedHeaders. If the web server sets it, set AllowForwardedHeaders. Said once.",
        EventName = nameof(LogEvents.ForwardingHeaderIgnored))]
    private static partial void LogForwardingHeader(
        ILogger logger, string connectionId, string traceIdentifier, string? param);

    [LoggerMessage(LogEvents.CutBody, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the client announced a body of {Announced} bytes, " +
        "but CONTENT_LENGTH says {ContentLength}. nginx does so with 'scgi_request_buffering off;': remove that line. " +
        "Until then reading such a body fails. Said once.",
        EventName = nameof(LogEvents.CutBody))]
    private static partial void LogCutBody(
        ILogger logger, string connectionId, string traceIdentifier, string? announced, long? contentLength);

    [LoggerMessage(LogEvents.ClientCertificateDamaged, LogLevel.Information,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the param {Param} is not empty and holds no " +
        "certificate that can be read; the request has none. Accepted are PEM, URL-encoded PEM, and DER as base64.",
        EventName = nameof(LogEvents.ClientCertificateDamaged))]
    private static partial void LogClientCertificateDamaged(
        ILogger logger, string connectionId, string traceIdentifier, string? param);
}
