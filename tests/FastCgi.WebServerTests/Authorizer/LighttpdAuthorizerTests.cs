namespace FastCgi.WebServerTests.Authorizer;

public sealed class LighttpdAuthorizerTests : AuthorizerTests
{
    private protected override Task<WebServer> StartAsync(ServedApp app) =>
        LighttpdServer.StartAsync(Documented("lighttpd").Replace(DocumentedSocket, app.SocketPath));
}
