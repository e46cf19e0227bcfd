namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// The application sees the path to which nginx has sent a request, as behind <c>proxy_pass</c>: targets that the rows
/// of Locations.RedirectTests leave out.
/// </summary>
public sealed class InternalRedirectTests
{
    [Theory]
    [InlineData(BackEndKind.FastCgi, true)]
    [InlineData(BackEndKind.FastCgi, false)]
    [InlineData(BackEndKind.Scgi, true)]
    [InlineData(BackEndKind.Scgi, false)]
    public async Task The_raw_target_stays_where_nginx_asks_for_the_clients_path(BackEndKind backEnd, bool mergesSlashes)
    {
        await using var site = await StartAsync(backEnd, mergesSlashes: mergesSlashes);
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
                Assert.Equal($"200 |{path}|{query}|{target}{query}", await SeenAsync(site, target + query));
            }
        }
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Scgi)]
    public async Task A_base_that_nginx_cuts_off_stays_the_base(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd);

        Assert.Equal("200 /base|/a b||/a%20b", await SeenAsync(site, "/base/a%20b"));
        Assert.Equal("200 /base|/|?x|/?x", await SeenAsync(site, "/base/?x"));
    }

    [Theory, BackEnds]
    public async Task A_permission_is_asked_for_by_its_own_path(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd, app => app.Use(async (context, next) =>
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

    /// <summary>The page of the permission is for GET alone, as an application has it.</summary>
    [Fact]
    public async Task The_documented_location_asks_for_the_permission_of_a_form_by_GET()
    {
        await using var site = await Site.StartAsync(
            app => WebServerProgram.Nginx.StartAsync(endPoint => SampleFile.Read("nginx.conf")
                .Enable("location = /authz {", "}")
                .Replace("location / {", "location / { auth_request /authz;")
                .Replace("listen 80;", $"listen {endPoint};")
                .Replace("include fastcgi_params;", "include /etc/nginx/fastcgi_params;", times: 2)
                .Replace("/run/app/app.sock", app.SocketPath)
                .ToString()),
            app =>
            {
                app.MapGet("/authz", () => Results.NoContent());
                app.MapPost("/form", (HttpRequest request) => $"{request.ContentLength} bytes");
            });

        var response = await site.SendAsync("POST /form HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345");

        Assert.Equal((200, "5 bytes"), (response.Status, response.Text));
    }

    [Fact]
    public void The_page_has_the_location_of_the_sample()
    {
        var page = MarkdownBlocks.Read(Path.Combine(Repository.Root, "docs", "SECURITY.md"), "nginx", "auth_request");
        var sample = SampleFile.Read("nginx.conf").Enable("location = /authz {", "}").ToString().Split('\n')
            .Select(static line => line.Trim());
        Assert.Empty(Assert.Single(page).Split('\n')
            .Select(static line => line.Trim())
            .Where(static line => line is [not '#', ..] && !line.StartsWith("fastcgi_pass ", StringComparison.Ordinal))
            .Except(sample));
    }

    private static async Task<string> SeenAsync(Site site, string target)
    {
        var response = await site.AskAsync(target);
        return $"{response.Status} {response.Text}";
    }

    private static Task<Site> StartAsync(
        BackEndKind kind, Action<WebApplication>? first = null, bool mergesSlashes = true)
    {
        var backEnd = BackEnd.Of(kind);
        var location = backEnd.Location(NginxSettings.Default);
        return Site.StartAsync(
            backEnd,
            app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
                {{backEnd.Upstream(app.SocketPath)}}
                server {
                    listen {{endPoint}};
                    merge_slashes {{(mergesSlashes ? "on" : "off")}};
                    root {{app.Folder}}/wwwroot;
                    location / { {{location}} }
                    location /named/ { try_files $uri @app; }
                    location @app { {{location}} }
                    location /base/ {
                        rewrite ^/base/(.*)$ /$1 break;
                        {{(kind == BackEndKind.Kestrel ? "" : $"{backEnd.Module}_param ASPNETCORE_PATHBASE /base;")}}
                        {{location}}
                    }
                    location /guarded/ { auth_request /authz; {{location}} }
                    location = /authz {
                        internal;
                        {{location}}
                        {{backEnd.Module}}_pass_request_body off;
                        {{EmptyLength(kind)}}
                    }
                }
                """),
            app =>
            {
                first?.Invoke(app);
                app.Run(ShowAsync);
            });
    }

    private static Task ShowAsync(HttpContext context)
    {
        var request = context.Request;
        var target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        return context.Response.WriteAsync(
            $"{request.PathBase.Value}|{request.Path.Value}|{request.QueryString.Value}|{target}");
    }

    /// <summary>nginx tells of the client's body here too. By SCGI it does in the client's header alone.</summary>
    private static string EmptyLength(BackEndKind kind) => kind switch
    {
        BackEndKind.Kestrel => "proxy_set_header Content-Length \"\";",
        BackEndKind.Scgi => "scgi_param HTTP_CONTENT_LENGTH \"\";",
        _ => "fastcgi_param CONTENT_LENGTH \"\";",
    };
}
