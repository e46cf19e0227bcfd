namespace FastCgi.WebServerTests.Nginx;

public sealed class HeaderTests
{
    [Theory, BackEnds]
    public async Task Every_line_of_a_repeated_request_header_arrives(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowHeader("X-Trail"));
        var response = await site.SendAsync(
            "GET / HTTP/1.1\r\nHost: h\r\nX-Trail: a\r\nX-Other: o\r\nX-Trail: b\r\n\r\n");

        // nginx joins the lines from 1.23 on.
        Assert.Contains(response.Text, (string[])["a|b", "a, b"]);
    }

    [Theory, BackEnds]
    public async Task Cookies_of_several_lines_are_all_there(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.Run(context => context.Response.WriteAsync(
            string.Join(',', context.Request.Cookies.Select(cookie => $"{cookie.Key}={cookie.Value}")))));
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\nCookie: a=1; b=2\r\nCookie: c=3\r\n\r\n");
        Assert.Equal("a=1,b=2,c=3", response.Text);
    }

    [Theory, BackEnds]
    public async Task A_request_header_may_hold_utf8(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowHeader("X-Name"));
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\nX-Name: Z\u00c3\u00bcrich\r\n\r\n");
        Assert.Equal("Zürich", response.Text);
    }

    [Theory, BackEnds]
    public async Task Host_and_remote_address_are_the_clients(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.Run(context => context.Response.WriteAsync(
            $"{context.Request.Scheme} {context.Request.Host} {context.Connection.RemoteIpAddress}")));
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: www.example.com:8080\r\n\r\n");
        Assert.Equal("http www.example.com:8080 127.0.0.1", response.Text);
    }

    [Theory, BackEnds]
    public async Task A_clients_own_Proxy_header_reaches_nobody_over_FastCGI(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.Run(context => context.Response.WriteAsync(
            $"{context.Request.Headers["Proxy"]}|{Environment.GetEnvironmentVariable("HTTP_PROXY")}")));
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\nProxy: http://evil/\r\n\r\n");
        Assert.Equal(backEnd == BackEndKind.Kestrel ? "http://evil/|" : "|", response.Text);
    }

    [Theory, BackEnds]
    public async Task Set_Cookie_lines_stay_apart(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.Run(context =>
        {
            context.Response.Cookies.Append("a", "1");
            context.Response.Cookies.Append("b", "2, 3", new CookieOptions { HttpOnly = true });
            return context.Response.WriteAsync("set");
        }));
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal(["a=1; path=/", "b=2%2C%203; path=/; httponly"], response.Head.Lines("Set-Cookie"));
    }

    [Theory, BackEnds]
    public async Task A_status_of_the_applications_choice_reaches_the_client(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/{status:int}", (int status) => Results.StatusCode(status)));
        foreach (var status in (int[])[200, 201, 202, 400, 401, 403, 404, 409, 410, 418, 422, 429, 451, 500, 501, 503])
        {
            var response = await site.SendAsync($"GET /{status} HTTP/1.1\r\nHost: h\r\n\r\n");
            Assert.Equal((status, 0, 0L), (response.Status, response.Body.Length, response.Head.ContentLength));
        }
    }

    [Theory, BackEnds]
    public async Task A_created_answer_keeps_its_status_beside_its_location(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapPost("/", () => TypedResults.Created("/things/1")));
        var response = await site.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
        Assert.Equal((201, "/things/1"), (response.Status, response.Header("Location")));
    }

    [Theory, BackEnds]
    public async Task A_head_of_ten_thousand_bytes_passes_where_nginx_has_the_room(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, LargeHead);
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, 10_000, "whole"), (response.Status, response.Header("X-Large")!.Length, response.Text));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public async Task A_head_beyond_nginx_s_buffer_is_warned_of_by_the_name_of_the_setting(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, LargeHead, nginx: new NginxSettings { ResponseHeadBuffer = "4k" });
        var response = await site.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");

        Assert.Equal(502, response.Status);
        await site.WebServer.ErrorLog.WaitForAsync("upstream sent too big header");
        await site.Log.WaitForAsync(
            entry => entry.Message.Contains("fastcgi_buffer_size", StringComparison.Ordinal), "the warning");
    }

    private static void LargeHead(WebApplication app) => app.Run(context =>
    {
        context.Response.Headers["X-Large"] = new string('x', 10_000);
        return context.Response.WriteAsync("whole");
    });

    private static Action<WebApplication> ShowHeader(string name) => app =>
        app.Run(context => context.Response.WriteAsync(string.Join('|', context.Request.Headers[name].AsEnumerable())));
}
