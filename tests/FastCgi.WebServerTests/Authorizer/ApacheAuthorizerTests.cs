namespace FastCgi.WebServerTests.Authorizer;

/// <summary>mod_authnz_fcgi asks over TCP only; the responder behind it is reached on the unix socket.</summary>
public sealed class ApacheAuthorizerTests : AuthorizerTests
{
    private static readonly string[] _modules =
        ["authn_core", "authz_core", "authz_user", "authnz_fcgi", "proxy", "proxy_fcgi"];

    private protected override Task<WebServer> StartAsync(ServedApp app) => ApacheServer.StartAsync(
        _modules,
        Documented("apache").Replace(DocumentedSocket, app.SocketPath)
            .Replace("127.0.0.1:9000", app.TcpEndPoint.ToString(), StringComparison.Ordinal));
}
