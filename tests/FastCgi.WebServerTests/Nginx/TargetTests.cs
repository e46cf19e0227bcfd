using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>Method and target reach the application as the client sent them, however odd.</summary>
public sealed class TargetTests
{
    [Theory, BackEnds]
    public async Task Any_method_token_reaches_the_application(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.Run(context => context.Response.WriteAsync(context.Request.Method)));
        foreach (var method in (string[])["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "PURGE"])
        {
            var response = await site.SendAsync($"{method} / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
            Assert.Equal((200, method), (response.Status, response.Text));
        }
    }

    [Theory, BackEnds]
    public async Task The_path_is_decoded_once_and_keeps_what_decoding_would_lose(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowPath);
        (string Target, string Path)[] cases =
        [
            ("/", "/"),
            ("/a%2Fb", "/a%2Fb"),
            ("/a%2fb", "/a%2fb"),
            ("/a%252Fb", "/a%2Fb"),
            ("/a/%2e%2e/b", "/b"),
            ("/a/./b/../c", "/a/c"),
            ("//", "//"),
            ("//a///b//", "//a///b//"),
            ("/gr%C3%BC%C3%9Fe/%E2%82%AC", "/grüße/€"),
            ("/a+b%20c", "/a+b c"),
            ("/%F0%9F%98%80", "/😀"),
            ("/a%FFb", "/a%FFb"),
            ("/a;v=1/b:c@d", "/a;v=1/b:c@d"),
        ];
        foreach (var (target, path) in cases)
        {
            var response = await site.SendAsync($"GET {target}?x=%2F&y HTTP/1.1\r\nHost: h\r\n\r\n");
            Assert.Equal((200, $"{path}|?x=%2F&y|{target}?x=%2F&y"), (response.Status, response.Text));
        }
    }

    [Theory, BackEnds]
    public async Task Nginx_refuses_an_encoded_nul(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowPath);
        var response = await site.SendAsync("GET /a%00b HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal(400, response.Status);
    }

    [Theory, BackEnds]
    public async Task An_encoded_nul_in_the_query_is_the_applications_own_affair(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowPath);
        var response = await site.SendAsync("GET /a?b=%00 HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, "/a|?b=%00|/a?b=%00"), (response.Status, response.Text));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public async Task Unencoded_utf8_in_the_path_is_read_as_utf8(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.Run(context => context.Response.WriteAsync(context.Request.Path.Value!)));

        // Each character goes out as one byte, so these two are the bytes of one ü.
        var response = await site.SendAsync("GET /gr\u00c3\u00bcn HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, "/grün"), (response.Status, response.Text));
    }

    [Theory, BackEnds]
    public async Task A_target_of_eight_thousand_bytes_is_whole(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowPath);
        var query = "?q=" + new string('x', 8000);
        var response = await site.SendAsync($"GET /{query} HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, $"/|{query}|/{query}"), (response.Status, response.Text));
    }

    [Theory, BackEnds]
    public async Task An_absolute_target_gives_its_path(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, ShowPath);
        var response = await site.SendAsync("GET http://h/a%2Fb?c=d HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, "/a%2Fb|?c=d|/a%2Fb?c=d"), (response.Status, response.Text));
    }

    /// <summary>RFC 9112, section 3.2.2: the host of an absolute target counts, and nginx goes by it.</summary>
    [Theory, BackEnds]
    public async Task A_host_that_nginx_has_not_chosen_by_stays_outside(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, static app =>
            app.Run(static context => context.Response.WriteAsync($"{context.Request.Host}")));

        var response = await site.SendAsync("GET http://site.example/ HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n");

        Assert.Equal((200, "site.example:8080"), (response.Status, response.Text));
    }

    private static void ShowPath(WebApplication app) => app.Run(context =>
    {
        var request = context.Request;
        var target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        return context.Response.WriteAsync($"{request.Path.Value}|{request.QueryString.Value}|{target}");
    });
}
