using FastCgi.Gateway.Forwarding;

namespace FastCgi.Gateway.Development;

/// <summary>The log messages of the development gateway.</summary>
internal static partial class DevelopmentLog
{
    [LoggerMessage(GatewayEvents.DevelopmentGatewayStarted, LogLevel.Information,
        "Development gateway: requests to {Addresses} go through Kestrel in this process to the FastCGI server on " +
        "{Endpoint}. It runs in the environment Development only. In production the application needs a web server.")]
    public static partial void DevelopmentGatewayStarted(ILogger logger, string addresses, string endpoint);

    [LoggerMessage(GatewayEvents.LargeRequestBody, LogLevel.Warning,
        "{Method} {Path} has a body of {Length} bytes. nginx answers 413 to more than 1 MiB, unless " +
        "client_max_body_size allows it: set 'client_max_body_size {Limit};', which is what the application allows " +
        "(Limits:MaxRequestBodySize; 0: no limit). Said once.")]
    public static partial void LargeRequestBody(ILogger logger, string method, string path, long length, long limit);

    [LoggerMessage(GatewayEvents.UpgradeByScgi, LogLevel.Information,
        "{Path} asks for a WebSocket or another upgrade, which goes to an SCGI endpoint. nginx passes upgrades on by " +
        "scgi_pass, and not by fastcgi_pass. Said once.")]
    public static partial void UpgradeByScgi(ILogger logger, string path);

    [LoggerMessage(GatewayEvents.WebServerErrorLog, LogLevel.Information,
        "For the web server's error log: {Text}")]
    public static partial void WebServerErrorLog(ILogger logger, string text);

    [LoggerMessage(GatewayEvents.DevelopmentGatewayOff, LogLevel.Information,
        "The development gateway is off, because the environment is {Environment} and not Development: the " +
        "application needs a web server here.")]
    public static partial void DevelopmentGatewayOff(ILogger logger, string environment);
}
