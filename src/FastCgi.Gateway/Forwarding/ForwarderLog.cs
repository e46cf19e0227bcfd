namespace FastCgi.Gateway.Forwarding;

/// <summary>The log messages of the forwarder, one for each failed request.</summary>
internal static partial class ForwarderLog
{
    [LoggerMessage(GatewayEvents.BadGateway, LogLevel.Error,
        "502 for {Method} {Target} (request id \"{TraceIdentifier}\"): {Reason}")]
    public static partial void BadGateway(
        ILogger logger, Exception? exception, string method, string target, string traceIdentifier, string reason);

    [LoggerMessage(GatewayEvents.ServiceUnavailable, LogLevel.Warning,
        "503 for {Method} {Target} (request id \"{TraceIdentifier}\"): {Reason}")]
    public static partial void ServiceUnavailable(
        ILogger logger, string method, string target, string traceIdentifier, string reason);

    [LoggerMessage(GatewayEvents.GatewayTimeout, LogLevel.Error,
        "504 for {Method} {Target} (request id \"{TraceIdentifier}\"): {Reason}")]
    public static partial void GatewayTimeout(
        ILogger logger, string method, string target, string traceIdentifier, string reason);

    [LoggerMessage(GatewayEvents.ResponseTorn, LogLevel.Error,
        "The response to {Method} {Target} (request id \"{TraceIdentifier}\") broke off after its start, and the " +
        "client's connection was aborted: {Reason}")]
    public static partial void ResponseTorn(
        ILogger logger, Exception exception, string method, string target, string traceIdentifier, string reason);

    [LoggerMessage(GatewayEvents.RequestRefused, LogLevel.Information,
        "{StatusCode} for {Method} {Target} (request id \"{TraceIdentifier}\"): {Reason}")]
    public static partial void RequestRefused(
        ILogger logger, int statusCode, string method, string target, string traceIdentifier, string reason);

    [LoggerMessage(GatewayEvents.ClientAborted, LogLevel.Debug,
        "The client gave {Method} {Target} (request id \"{TraceIdentifier}\") up, and the request to the application " +
        "was cancelled.")]
    public static partial void ClientAborted(ILogger logger, string method, string target, string traceIdentifier);

    [LoggerMessage(GatewayEvents.ResponseHeaderDropped, LogLevel.Warning,
        "The response to {Method} {Target} (request id \"{TraceIdentifier}\") lost its header {Header}: this server " +
        "does not send its value. For values beyond ASCII set KestrelServerOptions.ResponseHeaderEncodingSelector " +
        "to '_ => Encoding.Latin1', which sends the application's bytes unchanged.")]
    public static partial void ResponseHeaderDropped(
        ILogger logger, Exception exception, string method, string target, string traceIdentifier, string header);

    [LoggerMessage(GatewayEvents.Upgraded, LogLevel.Debug,
        "{Method} {Target} (request id \"{TraceIdentifier}\") was upgraded to {Protocol}.")]
    public static partial void Upgraded(
        ILogger logger, string method, string target, string traceIdentifier, string protocol);

    [LoggerMessage(GatewayEvents.FileHeaderRemoved, LogLevel.Warning,
        "The response to {Method} {Target} (request id \"{TraceIdentifier}\") names a file in {Header}, which only a " +
        "web server follows. The header was removed, and the client got no file. Name the file's directory in " +
        "FastCgiGatewayOptions.InternalFiles, or let the application send its files itself. Said once.")]
    public static partial void FileHeaderRemoved(
        ILogger logger, string method, string target, string traceIdentifier, string header);

    [LoggerMessage(GatewayEvents.StandardError, LogLevel.Warning,
        "STDERR of {Endpoint} for {Target}: {Text}")]
    public static partial void StandardError(ILogger logger, string endpoint, string target, string text);
}
