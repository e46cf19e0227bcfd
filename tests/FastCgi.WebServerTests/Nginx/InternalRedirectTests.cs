namespace FastCgi.WebServerTests.Nginx;

/// <summary>The application sees the path to which nginx has sent a request, as behind <c>proxy_pass</c>.</summary>
public sealed class InternalRedirectTests
{
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi, BackEndKind.Kestrel)]
    public async Task The_path_is_the_one_that_nginx_asks_for(BackEndKind backEnd)
    {
        await using var site = await RedirectedSite.StartAsync(backEnd);
        (string Target, string Path, string Query)[] cases =
        [
            ("/rw/a?x=%2F&y", "/new/a", "?x=%2F&y"),
            ("/rw/a%20b+c/%E2%82%AC", "/new/a b+c/\u20AC", ""),
            ("/rw/a/../b", "/new/b", ""),
            ("/rw/a?", "/new/a", ""),
            ("/added/a?x=1", "/new/a", "?added=1&x=1"),
            ("/dropped/a?x=1", "/new/a", ""),
            ("/last/a?x=1", "/new/a", "?x=1"),
            ("/missing/a?x=1", "/handler", ""),
            ("/files/a?x=1", "/route", ""),
            ("/named/a%20b?x=1", "/named/a b", "?x=1"),
            ("/php/a?x=1", "/index.php", "?x=1"),
            ("/send-elsewhere?x=1", "/else where", "?z=%2F"),
        ];
        foreach (var (target, path, query) in cases)
        {
            var seen = (await site.SeenAsync(target)).Split('|');
            Assert.Equal((target, "200 ", path, query), (target, seen[0], seen[1], seen[2]));
        }

        Assert.Equal("200 a file", await site.SeenAsync("/files/there.txt"));
    }

    [Theory]
    [InlineData(BackEndKind.FastCgi, true)]
    [InlineData(BackEndKind.FastCgi, false)]
    [InlineData(BackEndKind.Scgi, true)]
    [InlineData(BackEndKind.Scgi, false)]
    public async Task The_raw_target_stays_where_nginx_asks_for_the_clients_path(BackEndKind backEnd, bool mergesSlashes)
    {
        await using var site = await RedirectedSite.StartAsync(backEnd, mergesSlashes: mergesSlashes);
        (string Target, string Path)[] cases =
        [
            ("/a%2Fb", "/a%2Fb"), ("//a///b//", "//a///b//"), ("/a%2F%2F/b", "/a%2F%2F/b"), ("/a/./b/../c", "/a/c"),
            ("/a//../b", "/a/b"), ("/a/%2e%2e/b", "/b"), ("/a/..", "/"), ("/a/.", "/a/"), ("/a%252Fb", "/a%2Fb"),
            ("/a%3Fb%23c", "/a?b#c"), ("/a+b%2Bc%20d", "/a+b+c d"), ("/gr%C3%BC%C3%9Fe", "/gr\u00FC\u00DFe"),
            ("/a%FFb", "/a%FFb"), ("/named//a%2Fb", "/named//a%2Fb"), ("/", "/"),
        ];
        foreach (var (target, path) in cases)
        {
            foreach (var query in (string[])["", "?", "?x=%2F/..//&y"])
            {
                Assert.Equal($"200 |{path}|{query}|{target}{query}", await site.SeenAsync(target + query));
            }
        }
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Scgi)]
    public async Task A_base_that_nginx_cuts_off_stays_the_base(BackEndKind backEnd)
    {
        await using var site = await RedirectedSite.StartAsync(backEnd);

        Assert.Equal("200 /base|/a b||/a%20b", await site.SeenAsync("/base/a%20b"));
        Assert.Equal("200 /base|/|?x|/?x", await site.SeenAsync("/base/?x"));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi, BackEndKind.Kestrel)]
    public async Task A_permission_is_asked_for_by_its_own_path(BackEndKind backEnd)
    {
        await using var site = await RedirectedSite.StartAsync(backEnd, app => app.Use(async (context, next) =>
        {
            var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            if (context.Request.Path == "/authz")
            {
                var isAllowed = body.Length == 0 && context.Request.Headers.Authorization == "yes";
                context.Response.StatusCode = isAllowed ? 204 : 403;
                return;
            }

            // A catch-all that would answer every question with yes.
            context.Response.Headers["X-Body"] = $"{body.Length}";
            await next(context);
        }));
        (string Head, string Body)[] requests =
        [
            ("GET /guarded/a%2Fb?x=1 HTTP/1.1\r\nHost: h\r\n", ""),
            ("POST /guarded/a%2Fb?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n", "12345"),
            ("POST /guarded/a%2Fb?x=1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n", "5\r\n12345\r\n0\r\n\r\n"),
        ];
        foreach (var (head, body) in requests)
        {
            Assert.Equal(403, (await site.SendAsync($"{head}\r\n{body}")).Status);
            var allowed = await site.SendAsync($"{head}Authorization: yes\r\n\r\n{body}");
            Assert.Equal((200, "|/guarded/a%2Fb|?x=1|/guarded/a%2Fb?x=1"), (allowed.Status, allowed.Text));
            Assert.Equal(body.Length == 0 ? "0" : "5", allowed.Header("X-Body"));
        }
    }
}
