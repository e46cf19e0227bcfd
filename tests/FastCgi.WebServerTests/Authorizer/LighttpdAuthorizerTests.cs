namespace FastCgi.WebServerTests.Authorizer;

public sealed class LighttpdAuthorizerTests : AuthorizerTests
{
    private protected override Task<WebServer> StartAsync(ServedApp app) =>
        LighttpdServer.StartAsync($"""
            {Documented("lighttpd").Replace(DocumentedSocket, app.SocketPath)}
            server.modules += ( "mod_rewrite" )
            url.rewrite-once = ( "^/alias/(.*)$" => "/members/$1" )
            """);

    [Fact]
    public async Task A_rewritten_request_is_judged_by_the_page_that_lighttpd_asks_for()
    {
        await using var site = await Site.StartAsync(StartAsync, DoorApp.Configure);

        var refused = await site.SendAsync("GET /alias/list HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((401, "who are you?"), (refused.Status, refused.Text));
        var allowed = await site.SendAsync(
            $"GET /alias/list HTTP/1.1\r\nHost: h\r\n{DoorApp.Credentials("ann", "secret")}\r\n");
        Assert.Equal("GET /members/list by ann of red: ", allowed.Text);
    }
}
