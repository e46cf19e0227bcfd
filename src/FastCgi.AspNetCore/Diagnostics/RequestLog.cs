namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>The log messages of one request. Messages that a peer or a client can cause are not errors.</summary>
internal static partial class RequestLog
{
    /// <summary>By default nginx accepts 4 or 8 KiB (fastcgi_buffer_size), and answers 502 beyond that.</summary>
    public const int LargeHeadSize = 4000;

    private const string Request = "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": ";

    [LoggerMessage(LogEvents.ApplicationError, LogLevel.Error,
        Request + "An unhandled exception was thrown by the application.")]
    public static partial void ApplicationError(
        ILogger logger, Exception exception, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ContinuationFailed, LogLevel.Error,
        "Connection id \"{ConnectionId}\": An unhandled exception was thrown by the application, in a callback that " +
        "it had left behind a read or a flush.")]
    public static partial void ContinuationFailed(ILogger logger, Exception exception, string connectionId);

    [LoggerMessage(LogEvents.ServerError, LogLevel.Critical,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: the server failed on this request.")]
    public static partial void ServerError(
        ILogger logger, Exception exception, string connectionId, int requestId);

    [LoggerMessage(LogEvents.UploadHoldFailed, LogLevel.Error,
        "Connection id \"{ConnectionId}\": the server failed while a response waited for the request body.")]
    public static partial void UploadHoldFailed(ILogger logger, Exception exception, string connectionId);

    [LoggerMessage(LogEvents.BadRequest, LogLevel.Debug, Request + "bad request: {Message}")]
    public static partial void BadRequest(
        ILogger logger, string connectionId, string traceIdentifier, string message);

    [LoggerMessage(LogEvents.RequestRejected, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", FastCGI id {RequestId}: rejected before the application: {Detail}")]
    public static partial void RequestRejected(ILogger logger, string connectionId, int requestId, string detail);

    [LoggerMessage(LogEvents.ParamsMissing, LogLevel.Warning, "{Detail}")]
    public static partial void ParamsMissing(ILogger logger, string detail);

    [LoggerMessage(LogEvents.RequestAborted, LogLevel.Debug,
        Request + "the application ended with an exception after the request was aborted.")]
    public static partial void RequestAborted(
        ILogger logger, Exception exception, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ApplicationAbortedConnection, LogLevel.Debug,
        Request + "the application aborted the request.")]
    public static partial void ApplicationAbortedConnection(
        ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ConnectionUpgraded, LogLevel.Debug, Request + "the connection was upgraded.")]
    public static partial void ConnectionUpgraded(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.HeadBodyIgnored, LogLevel.Debug,
        Request + "the response to HEAD has a body; it is dropped.")]
    public static partial void HeadBodyIgnored(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.ResponseHeadersDropped, LogLevel.Debug,
        Request + "Status, Connection, Transfer-Encoding and their like belong to the web server; such headers of " +
        "the response were left out.")]
    public static partial void ResponseHeadersDropped(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.RequestBodyStart, LogLevel.Debug, Request + "started reading the request body.")]
    public static partial void RequestBodyStart(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(LogEvents.LargeResponseHead, LogLevel.Warning,
        Request + "the response head has {Size} bytes. nginx answers 502 when it exceeds fastcgi_buffer_size (4k or " +
        "8k by default): set 'fastcgi_buffer_size 32k;' and 'fastcgi_buffers 16 32k;', or send smaller cookies. Said " +
        "once.")]
    public static partial void LargeResponseHead(ILogger logger, string connectionId, string traceIdentifier, int size);

    [LoggerMessage(LogEvents.HostWithoutPort, LogLevel.Warning,
        "The Host '{Host}' has no port, but the web server listens on port {Port}: if clients use that port, " +
        "redirects and absolute URLs miss it. In nginx, write 'fastcgi_param HTTP_HOST $host$host_port;' behind " +
        "'include fastcgi_params;', and in http " +
        "'map $http_host $host_port {{ ~(?<port_of_host>:[0-9]+)$ $port_of_host; }}'. Said once.")]
    public static partial void HostWithoutPort(ILogger logger, string? host, string? port);

    [LoggerMessage(LogEvents.RemoteAddressUnreadable, LogLevel.Warning,
        Request + "REMOTE_ADDR = '{Address}' is no address, so RemoteIpAddress is null. In nginx, write " +
        "'fastcgi_param REMOTE_ADDR $remote_addr;'. Said once.")]
    public static partial void RemoteAddressUnreadable(
        ILogger logger, string connectionId, string traceIdentifier, string address);

    [LoggerMessage(LogEvents.PhpLeftovers, LogLevel.Warning,
        "nginx sends {Target} as /index.php, as for PHP, so every page is a 404. In nginx, " +
        "pass 'location /' to the application, and remove 'try_files ... /index.php' and the location for .php; " +
        "'fcgi doctor' names the lines. Said once.")]
    public static partial void PhpLeftovers(ILogger logger, string target);

    [LoggerMessage(LogEvents.ForwardingHeaderIgnored, LogLevel.Information,
        Request + "the param {Param} is not shown in the request headers, since any client can send it. Scheme, host " +
        "and address are right without it: remove UseForwardedHeaders. If the web server sets it, set " +
        "AllowForwardedHeaders. Said once.")]
    public static partial void ForwardingHeaderIgnored(
        ILogger logger, string connectionId, string traceIdentifier, string? param);

    [LoggerMessage(LogEvents.CutBody, LogLevel.Warning,
        Request + "the client announced a body of {Announced} bytes, but CONTENT_LENGTH says {ContentLength}. nginx " +
        "does so with 'scgi_request_buffering off;': remove that line. Until then reading such a body fails. Said " +
        "once.")]
    public static partial void CutBody(
        ILogger logger, string connectionId, string traceIdentifier, string? announced, long? contentLength);

    [LoggerMessage(LogEvents.BodyNotSpilled, LogLevel.Warning,
        "A request body does not go to a temporary file: {Reason} Slow uploads stop their connection instead, and " +
        "fail where other requests share it. Said once.")]
    public static partial void BodyNotSpilled(ILogger logger, string reason);

    [LoggerMessage(LogEvents.NativeGrpcRefused, LogLevel.Information,
        "Connection id \"{ConnectionId}\", request {RequestId}: {Target} is native gRPC, which needs response " +
        "trailers; FastCGI and SCGI have none. The answer was grpc-status 12 (unimplemented). gRPC-Web works: " +
        "UseGrpcWeb in the application, and a client or a proxy that speaks it. Said once.")]
    public static partial void NativeGrpcRefused(ILogger logger, string connectionId, int requestId, string target);

    [LoggerMessage(LogEvents.ClientCertificateDamaged, LogLevel.Information,
        Request + "the param {Param} is not empty and holds no certificate that can be read; the request has none. " +
        "Accepted are PEM, URL-encoded PEM, and DER as base64.")]
    public static partial void ClientCertificateDamaged(
        ILogger logger, string connectionId, string traceIdentifier, string? param);

    [LoggerMessage(LogEvents.FileHandedOver, LogLevel.Debug,
        Request + "the web server sends the file '{Path}'; {HeaderName}: {HeaderValue}")]
    public static partial void FileHandedOver(
        ILogger logger,
        string connectionId,
        string traceIdentifier,
        string path,
        string headerName,
        string headerValue);

    [LoggerMessage(LogEvents.FileNotHandedOver, LogLevel.Debug,
        Request + "the file '{Path}' is not left to the web server, since {Obstacle}.")]
    public static partial void FileNotHandedOver(
        ILogger logger, string connectionId, string traceIdentifier, string path, string obstacle);

    [LoggerMessage(LogEvents.HeadersOfFileLost, LogLevel.Information,
        "The server sends a file itself, since nginx would drop these headers: {Headers}. Add them in the internal " +
        "location, as in 'add_header X-Name $upstream_http_x_name;', and name them in relayedHeaders. Said once.")]
    public static partial void HeadersOfFileLost(ILogger logger, string headers);
}
