namespace FastCgi.WebServerTests.Scgi;

/// <summary>The other web servers that speak SCGI: what they send is understood, and they understand the answers.</summary>
public sealed class OtherServerTests
{
    private static readonly TimeSpan _transfer = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData("apache", true)]
    [InlineData("apache", false)]
    [InlineData("lighttpd", true)]
    [InlineData("lighttpd", false)]
    public async Task Targets_bodies_and_answers_pass(string server, bool byUnixSocket)
    {
        await using var site = await StartAsync(server, byUnixSocket);

        var page = await site.SendAsync("GET /a%20b?c=d HTTP/1.1\r\nHost: h:1\r\nX-Mine: yes\r\n\r\n");
        Assert.Equal((200, "GET /a b?c=d h:1 yes"), (page.Status, page.Text));

        var head = await site.SendAsync("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, ""), (head.Status, head.Text));

        var redirect = await site.AskAsync("/away");
        Assert.Equal((302, "/a"), (redirect.Status, redirect.Header("Location")));

        var sent = RandomNumberGenerator.GetBytes(1_000_000);
        using var content = new ByteArrayContent(sent);
        using var answer = await site.Client.PostAsync("/echo", content).Within("the echo", deadline: _transfer);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal(sent, await answer.Content.ReadAsByteArrayAsync());
    }

    private static Task<Site> StartAsync(string server, bool byUnixSocket) => Site.StartAsync(
        app => server == "apache"
            ? WebServerProgram.Apache("authz_core", "proxy", "proxy_scgi").StartAsync($"""
                AllowEncodedSlashes NoDecode
                ProxyPass "/" "{(byUnixSocket ? $"unix:{app.ScgiSocketPath}|scgi://app/" : $"scgi://{app.ScgiTcpEndPoint}/")}"
                """)
            : WebServerProgram.Lighttpd.StartAsync($"""
                server.modules += ( "mod_scgi" )
                scgi.server = ( "/" => (( {(byUnixSocket
                    ? $"\"socket\" => \"{app.ScgiSocketPath}\""
                    : $"\"host\" => \"127.0.0.1\", \"port\" => {app.ScgiTcpEndPoint.Port}")},
                  "check-local" => "disable", "fix-root-scriptname" => "enable" )) )
                """),
        app =>
        {
            app.MapGet("/away", () => Results.Redirect("/a"));
            app.MapPost("/echo", async (HttpContext context) =>
            {
                using var body = new MemoryStream();
                await context.Request.Body.CopyToAsync(body);
                await context.Response.Body.WriteAsync(body.ToArray());
            });
            app.MapMethods("/{**path}", ["GET", "HEAD"], (HttpRequest request) =>
                $"{request.Method} {request.Path.Value}{request.QueryString} {request.Host} {request.Headers["X-Mine"]}");
        });
}
