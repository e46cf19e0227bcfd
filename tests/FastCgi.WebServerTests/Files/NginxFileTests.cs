namespace FastCgi.WebServerTests.Files;

public class NginxFileTests(SharedSite shared) : FileTests(shared)
{
    [Fact]
    public async Task The_internal_location_is_not_for_clients()
    {
        var site = await StartAsync();
        site.Write("internal.txt", [1]);
        using var response = await site.GetAsync("_files/internal.txt");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public async Task A_location_with_a_regular_expression_gets_no_file()
    {
        await using var site = await StartAsync("", @"location ~ \.php$ { return 418; }");
        site.Write("page.php", [1, 2, 3]);
        var body = await site.Client.GetByteArrayAsync("plain?name=page.php");
        Assert.Equal([1, 2, 3], body);
        Assert.Equal(1, site.CountHandedOver());
    }

    [Fact]
    public async Task With_the_applications_ETag_passed_on_every_condition_holds_for_it()
    {
        await using var site = await StartAsync(FileSite.Documented("nginx", "etag off"));
        site.Write("a.bin", [1, 2, 3, 4, 5, 6]);
        using var seen = await site.GetAsync("static/a.bin");
        Assert.Equal(1, site.CountHandedOver());
        var head = await site.SendAsync("HEAD /static/a.bin HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        var etag = $"{seen.Headers.ETag}";
        Assert.Equal(head.Header("ETag"), etag);

        using var same = await site.GetAsync("static/a.bin", ("If-None-Match", etag));
        Assert.Equal(HttpStatusCode.NotModified, same.StatusCode);
        using var part = await site.GetAsync("static/a.bin", ("Range", "bytes=1-2"), ("If-Range", etag));
        Assert.Equal(HttpStatusCode.PartialContent, part.StatusCode);
        Assert.Equal([2, 3], await part.Content.ReadAsByteArrayAsync());
        using var matched = await site.GetAsync("static/a.bin", ("If-Match", etag));
        Assert.Equal(HttpStatusCode.OK, matched.StatusCode);
        using var failed = await site.GetAsync("static/a.bin", ("If-Match", "\"other\""));
        Assert.Equal(HttpStatusCode.PreconditionFailed, failed.StatusCode);
    }

    [Fact]
    public async Task The_shipped_lines_relay_every_header_in_them()
    {
        var lines = Path.Combine(Repository.Root, "samples", "web-servers", "nginx-files.conf");
        string[] names = [.. File.ReadLines(lines)
            .Where(static line => line.StartsWith("add_header ", StringComparison.Ordinal))
            .Select(static line => line.Split(' ')[1])];
        using var directory = new WorkDirectory();
        directory.LetEverybodyThrough();
        var folder = directory.Subdirectory("files");
        await File.WriteAllTextAsync(Path.Combine(folder, "a.txt"), "content");
        await using var site = await Site.StartAsync(
            app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
                server {
                    listen {{endPoint}};
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_pass unix:{{app.SocketPath}};
                    }
                    location ^~ /_files/ {
                        internal;
                        alias {{folder}}/;
                        include {{lines}};
                    }
                }
                """),
            app => app.Run(context =>
            {
                context.Response.ContentType = "text/plain";
                foreach (var name in names)
                {
                    context.Response.Headers[name] = $"of {name}";
                }

                return context.Response.SendFileAsync(Path.Combine(folder, "a.txt"));
            }),
            builder => FileSite.SendByXAccelRedirect(builder, folder, "/_files/", names));

        var response = await site.AskAsync("/");
        Assert.Equal("content", response.Text);
        Assert.NotNull(response.Header("ETag"));
        Assert.All(names, name => Assert.Equal($"of {name}", response.Header(name)));
    }

    /// <summary>The lines that pass a request to the application.</summary>
    private protected virtual string Pass(ServedApp app, string folder) => $$"""
        include /etc/nginx/fastcgi_params;
        fastcgi_param HTTP_HOST $http_host;
        fastcgi_param REMOTE_USER "";
        fastcgi_pass unix:{{app.SocketPath}};
        fastcgi_buffer_size 32k;
        fastcgi_buffers 16 32k;
        """;

    private protected virtual void Build(WebApplicationBuilder builder, string folder) =>
        FileSite.SendByXAccelRedirect(
            builder, folder, "/_files/", ["Vary", "X-Content-Type-Options", "Content-Security-Policy"]);

    private protected override bool CanName(string name) => true;

    private protected override Task<Site> StartSiteAsync() => StartAsync(more: "");

    private Task<Site> StartAsync(string more, string beside = "") => FileSite.StartAsync(
        (app, folder) => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                location / {
                    {{Pass(app, folder)}}
                }
                {{Location(folder, more)}}
                {{beside}}
            }
            """),
        Build);

    private static string Location(string folder, string more)
    {
        var documented = FileSite.Documented("nginx", "internal;").With("/srv/app/files", folder);
        return documented[..documented.LastIndexOf('}')] + more + "}";
    }
}

/// <summary>The same with <c>scgi_pass</c>.</summary>
public sealed class NginxScgiFileTests(SharedSite shared) : NginxFileTests(shared)
{
    private protected override string Pass(ServedApp app, string folder) => $"""
        include /etc/nginx/scgi_params;
        scgi_param HTTP_HOST $http_host;
        scgi_pass unix:{SocketBeside(folder)};
        """;

    private protected override void Build(WebApplicationBuilder builder, string folder)
    {
        base.Build(builder, folder);
        builder.WebHost.ConfigureFastCgi(options => options.ListenUnixSocket(
            SocketBeside(folder), listen => listen.Protocol = FastCgiEndpointProtocol.Scgi));
    }

    private static string SocketBeside(string folder) => Path.Combine(Path.GetDirectoryName(folder)!, "scgi.sock");
}
