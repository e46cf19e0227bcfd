using FastCgi.AspNetCore;

namespace FastCgi.Gateway.Tests.Mapping;

/// <summary>Routes to an application, with a document root and without.</summary>
public sealed class MapFastCgiTests
{
    private static readonly string[] s_files =
    [
        "/index.php", "/a.php", "/style.css", "/secret.unknown", "/.env", "/.git/config", "/.well-known/x.txt",
        "/sub/index.php", "/pages/index.html", "/empty/", "/dir.php/inner.css", "/upper.PHP", "/note.php.bak",
        "/a%41/", "/a%2Fb/", "/p%41.css",
    ];

    [Theory]
    [InlineData("/blog/a.php", HttpStatusCode.OK, "/blog/a.php||/a.php")]
    [InlineData("/blog/a.php/info/x?y=1", HttpStatusCode.OK, "/blog/a.php|/info/x|/a.php")]
    [InlineData("/blog/a.php/AC%5CDC", HttpStatusCode.OK, @"/blog/a.php|/AC\DC|/a.php")]
    [InlineData("/blog/a.php/.NET/...", HttpStatusCode.OK, "/blog/a.php|/.NET/...|/a.php")]
    [InlineData("/blog/a.php/", HttpStatusCode.OK, "/blog/a.php|/|/a.php")]
    [InlineData("/blog/", HttpStatusCode.OK, "/blog/index.php||/index.php")]
    [InlineData("/blog/sub/", HttpStatusCode.OK, "/blog/sub/index.php||/sub/index.php")]
    [InlineData("/BLOG/a.php", HttpStatusCode.OK, "/BLOG/a.php||/a.php")]
    [InlineData("/blog/pages/", HttpStatusCode.OK, "source of /pages/index.html")]
    [InlineData("/blog/style.css", HttpStatusCode.OK, "source of /style.css")]
    [InlineData("/blog/p%2541.css", HttpStatusCode.OK, "source of /p%41.css")]
    [InlineData("/blog/.well-known/x.txt", HttpStatusCode.OK, "source of /.well-known/x.txt")]
    [InlineData("/blog/missing", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/missing.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/missing/", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/secret.unknown", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/note.php.bak", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/upper.PHP", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/.env", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/.git/config", HttpStatusCode.NotFound, "")]
    [InlineData("/blog//a.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/sub//index.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/sub%2Findex.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/sub%5Cindex.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/x%2F..%2Fa.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/dir.php/inner.css", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/a.php//info", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/a.php/info//x", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/a.php//", HttpStatusCode.NotFound, "")]
    [InlineData("/elsewhere", HttpStatusCode.NotFound, "")]
    // A directory is redirected to its slash, and forbidden without an index.
    [InlineData("/blog?a=1", HttpStatusCode.MovedPermanently, "/blog/?a=1")]
    [InlineData("/blog/sub", HttpStatusCode.MovedPermanently, "/blog/sub/")]
    [InlineData("/blog/empty?", HttpStatusCode.MovedPermanently, "/blog/empty/")]
    [InlineData("/blog/a%2541", HttpStatusCode.MovedPermanently, "/blog/a%2541/")]
    [InlineData("/blog/a%2Fb", HttpStatusCode.MovedPermanently, "/blog/a%2Fb/")]
    [InlineData("/blog/empty/", HttpStatusCode.Forbidden, "")]
    public async Task A_path_is_answered(string target, HttpStatusCode status, string text) =>
        Assert.Equal((status, text), await AskAsync(target));

    /// <summary>Kestrel resolves dots, but a middleware can make such a path.</summary>
    [Theory]
    [InlineData("/blog/a.php/./info")]
    [InlineData("/blog/a.php/x/../info")]
    [InlineData("/blog/a.php/..")]
    [InlineData("/blog/sub/../a.php")]
    public async Task A_rewritten_path_with_dots_names_nothing(string path)
    {
        using var folder = new DocumentFolder(s_files);
        await using var back = await GatewayBack.StartAsync(isScgi: false, DescribeAsync);
        await using var front = await GatewayFront.StartAsync(
            application =>
            {
                application.Use((context, next) =>
                {
                    context.Request.Path = path;
                    return next(context);
                });
                application.UseRouting();
                application.MapFastCgi("/blog/{**path}", back.Address, options => options.DocumentRoot = folder.Path);
            });
        using var answer = await front.Client.GetAsync("/").Within("an answer");
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
    }

    /// <summary>It takes what has no file, and no missing script.</summary>
    [Theory]
    [InlineData("/blog/missing?a=b", HttpStatusCode.OK, "/blog/index.php||/index.php")]
    [InlineData("/blog/missing/deeper", HttpStatusCode.OK, "/blog/index.php||/index.php")]
    [InlineData("/blog/missing%2Fdeeper", HttpStatusCode.OK, "/blog/index.php||/index.php")]
    [InlineData("/blog/.env", HttpStatusCode.OK, "/blog/index.php||/index.php")]
    [InlineData("/blog//style.css", HttpStatusCode.OK, "/blog/index.php||/index.php")]
    [InlineData("/blog/missing.php", HttpStatusCode.NotFound, "")]
    [InlineData("/blog/missing/deeper.php/x", HttpStatusCode.NotFound, "")]
    [InlineData("/blog//a.php", HttpStatusCode.NotFound, "")]
    public async Task A_path_is_answered_with_a_front_controller(string target, HttpStatusCode status, string text) =>
        Assert.Equal(
            (status, text), await AskAsync(target, static options => options.FrontController = "/index.php"));

    [Fact]
    public async Task A_static_file_is_only_read() => Assert.Equal(
        (HttpStatusCode.MethodNotAllowed, ""), await AskAsync("/blog/style.css", method: HttpMethod.Post));

    [Fact]
    public async Task A_static_file_that_may_not_be_read_is_forbidden()
    {
        using var folder = new DocumentFolder(s_files);
        await using var front = await GatewayFront.StartAsync(
            application =>
            {
                application.Use(UnreadableFiles.UseAsync);
                application.MapFastCgi("/{**path}", "127.0.0.1:1", options => options.DocumentRoot = folder.Path);
            });
        using var answer = await front.Client.GetAsync("/style.css").Within("an answer");
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        LogEntry entry = await front.Logs.WaitForAsync(GatewayEvents.RequestRefused);
        Assert.Contains(folder.Path + "/style.css", entry.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_link_out_of_the_root_is_followed()
    {
        using var other = new DocumentFolder("/far.css");
        Assert.Equal((HttpStatusCode.OK, "source of /far.css"), await AskLinkAsync(other.Path + "/far.css"));
    }

    /// <summary>".." of a link is the parent of the directory in which the kernel finds it, as in Debian's Roundcube.</summary>
    [Theory]
    [InlineData("HEAD")]
    [InlineData("GET")]
    public async Task A_relative_link_below_a_linked_directory_leads_where_the_kernel_goes(string method)
    {
        using var folder = new DocumentFolder([.. s_files, "/x.css"]);
        using var other = new DocumentFolder("/real/deep/", "/real/x.css");
        Directory.CreateSymbolicLink(folder.Path + "/linked", other.Path + "/real/deep");
        File.CreateSymbolicLink(other.Path + "/real/deep/near.css", "../x.css");
        var time = new DateTime(2020, 1, 2, 3, 4, 5, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(other.Path + "/real/x.css", time);
        await using var back = await GatewayBack.StartAsync(isScgi: false, DescribeAsync);
        await using var front = await StartAsync(back, folder, null);
        using var request = new HttpRequestMessage(new HttpMethod(method), "/blog/linked/near.css");
        using var answer = await front.Client.SendAsync(request).Within("an answer");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal("source of /real/x.css".Length, answer.Content.Headers.ContentLength);
        Assert.Equal(time, answer.Content.Headers.LastModified?.UtcDateTime);
        string body = method == "GET" ? "source of /real/x.css" : "";
        Assert.Equal(body, await answer.Content.ReadAsStringAsync().Within("the file"));
    }

    [Theory]
    [InlineData("nowhere.css")]
    [InlineData("link.css")]
    public async Task A_link_that_leads_nowhere_is_not_found(string target) =>
        Assert.Equal((HttpStatusCode.NotFound, ""), await AskLinkAsync(target));

    /// <summary>As by nginx. Nobody may read this file of the kernel, root included.</summary>
    [Fact]
    public async Task A_link_to_a_file_that_may_not_be_read_is_forbidden()
    {
        const string WriteOnly = "/sys/bus/cpu/drivers_probe";
        Assert.SkipUnless(File.Exists(WriteOnly), $"There is no {WriteOnly}.");
        Assert.Equal((HttpStatusCode.Forbidden, ""), await AskLinkAsync(WriteOnly));
    }

    /// <summary>In any letter case, and whatever type the site gives to such files.</summary>
    [Fact]
    public async Task The_source_of_a_script_is_never_sent() => Assert.Equal(
        (HttpStatusCode.NotFound, ""),
        await AskAsync("/blog/upper.PHP", static options => options.ContentTypes[".php"] = "text/plain"));

    [Fact]
    public async Task Without_static_files_there_are_scripts_only() => Assert.Equal(
        HttpStatusCode.NotFound,
        (await AskAsync("/blog/style.css", static options => options.ServeStaticFiles = false)).Status);

    [Fact]
    public async Task Without_a_document_root_all_goes_to_the_application()
    {
        await using var back = await GatewayBack.StartAsync(isScgi: true, DescribeAsync);
        await using var front = await StartAsync(back, null, null);
        Assert.Equal("/blog|/x.php/%2F|", await front.Client.GetStringAsync("/blog/x.php/%252F").Within("an answer"));
    }

    /// <summary>SCGI needs a number as the length of no body, which scripts behind FastCGI get as an empty text.</summary>
    [Fact]
    public async Task A_script_behind_SCGI_gets_a_request_without_a_body() => Assert.Equal(
        (HttpStatusCode.OK, "/blog/a.php||/a.php"), await AskAsync("/blog/a.php", isScgi: true));

    /// <summary>Only the routes know what the target is: a file, a script of the folder, or another endpoint.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_local_redirect_comes_back_through_the_routes(bool hasFolder)
    {
        using var folder = new DocumentFolder(s_files);
        using var application = new ScriptedApplication();
        await using var front = await GatewayFront.StartAsync(
            routes =>
            {
                routes.MapFastCgi("/blog/{**path}", "app", options =>
                {
                    options.DocumentRoot = hasFolder ? folder.Path : null;
                    options.ConfigureHandler = client => client.ConnectCallback = application.ConnectAsync;
                });
                routes.Map("/blog/admin/{**path}", static () => "closed");
            });
        using var handler = new SocketsHttpHandler { AllowAutoRedirect = false };
        using var client = new HttpClient(handler) { BaseAddress = front.Uri, Timeout = Deadline.Default };
        Task<HttpResponseMessage> sending = client.GetAsync("/blog/a.php");
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await connection.RespondAsync("Location: /blog/admin/style.css?x\n\n");
        using var answer = await sending.Within("an answer");
        Assert.Equal(HttpStatusCode.Found, answer.StatusCode);
        Assert.Equal("/blog/admin/style.css?x", answer.Headers.Location?.OriginalString);
    }

    /// <summary>The routes and their authorization have judged this path, and the application gets no other.</summary>
    [Theory]
    [InlineData("/blog", "/blog||")]
    [InlineData("/blog/", "/blog|/|")]
    [InlineData("/blog/%61%20b", "/blog|/a b|")]
    [InlineData("/blog/a%2Fb", "/blog|/a%2Fb|")]
    [InlineData("/blog/..%2Fadmin", "/blog|/..%2Fadmin|")]
    [InlineData("/x/../blog/page", "/blog|/page|")]
    [InlineData("/blog/x/%2e%2e/page", "/blog|/page|")]
    [InlineData("/blog/admin%2Fx", "/blog|/admin%2Fx|")]
    [InlineData("/blog/admin/x", "closed")]
    [InlineData("/blog/y/../admin/x", "closed")]
    public async Task Without_a_document_root_the_path_is_the_one_that_was_judged(string target, string expected)
    {
        await using var back = await GatewayBack.StartAsync(isScgi: false, DescribeAsync);
        await using var front = await GatewayFront.StartAsync(
            application =>
            {
                application.MapFastCgi("/blog/{**path}", back.Address);
                application.Map("/blog/admin/{**path}", static () => "closed");
            });
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync($"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        Assert.Contains($"\n{expected}\r\n", await client.ReadToAsync("\r\n0\r\n"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task PHP_on_another_machine_has_another_root() => Assert.Equal(
        (HttpStatusCode.OK, "/blog/a.php||/a.php"),
        await AskAsync("/blog/a.php", static options => options.ScriptRoot = "/var/www", root: "/var/www"));

    [Fact]
    public async Task More_requests_than_the_queue_holds_are_503()
    {
        using var folder = new DocumentFolder(s_files);
        var held = new TaskCompletionSource();
        var arrived = new TaskCompletionSource();
        await using var back = await GatewayBack.StartAsync(isScgi: false, context =>
        {
            arrived.TrySetResult();
            return held.Task;
        });
        await using var front = await StartAsync(back, folder, static options =>
        {
            options.MaxConnections = 1;
            options.MaxQueuedRequests = 0;
        });
        var first = front.Client.GetAsync("/blog/a.php");
        await arrived.Task.Within("the first request");
        using (var second = await front.Client.GetAsync("/blog/a.php").Within("an answer"))
        {
            Assert.Equal(HttpStatusCode.ServiceUnavailable, second.StatusCode);
        }

        Assert.Contains(
            "MaxConnections",
            (await front.Logs.WaitForAsync(GatewayEvents.ServiceUnavailable)).Message,
            StringComparison.Ordinal);
        held.SetResult();
        using var answer = await first.Within("the first answer");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    [Fact]
    public async Task The_end_of_the_site_closes_its_connections()
    {
        using var application = new ScriptedApplication();
        ApplicationConnection kept;
        await using (var front = await GatewayFront.MapAsync(application))
        {
            (kept, var answering) = await front.BeginAsync(application);
            await kept.AnswerAsync(answering, "body");
        }

        await kept.ExpectClosedAsync();
    }

    /// <summary>A connection of HTTP/1.1 has its next request served when the last one is over.</summary>
    [Fact]
    public async Task A_place_is_free_again_behind_its_request()
    {
        await using var back = await GatewayBack.StartAsync(isScgi: false, DescribeAsync);
        await using var front = await StartAsync(back, null, static options =>
        {
            options.MaxConnections = 1;
            options.MaxQueuedRequests = 0;
        });
        using var client = await RawHttp.ConnectAsync(front.Uri);
        for (int i = 0; i < 3; i++)
        {
            await client.SendAsync($"GET /blog/{i} HTTP/1.1\r\nHost: a\r\n\r\n");
            Assert.DoesNotContain("503", await client.ReadToAsync($"|/{i}|"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Wrong_options_are_refused_at_once()
    {
        using var folder = new DocumentFolder(s_files);
        var app = WebApplication.CreateSlimBuilder().Build();
        Assert.Contains("not absolute", Refused<ArgumentException>(static options => options.DocumentRoot = "x"));
        Assert.Contains("/nowhere", Refused<DirectoryNotFoundException>(static options => options.DocumentRoot = "/nowhere"));
        Assert.Contains("/nothing.php", Refused<ArgumentException>(options =>
        {
            options.DocumentRoot = folder.Path;
            options.FrontController = "/nothing.php";
        }));
        Assert.Contains("ConfigureHandler", Refused<ArgumentException>(options =>
            options.ConfigureHandler = handler => handler.DocumentRoot = folder.Path));
        Assert.Throws<FormatException>(() => Map("unix:relative", null));
        Assert.Throws<ArgumentOutOfRangeException>(() => new FastCgiGatewayOptions { MaxConnections = 0 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new FastCgiGatewayOptions { MaxQueuedRequests = -1 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new FastCgiGatewayOptions { ResponseTimeout = TimeSpan.Zero });

        string Refused<TException>(Action<FastCgiGatewayOptions> configure)
            where TException : Exception =>
            Assert.ThrowsAny<TException>(() => Map("127.0.0.1:1", configure)).Message;
        void Map(string endpoint, Action<FastCgiGatewayOptions>? configure) =>
            app.MapFastCgi("/{**path}", endpoint, configure);
    }

    private static Task DescribeAsync(HttpContext context) => context.Response.WriteAsync(
        $"{Param(context, "SCRIPT_NAME")}|{Param(context, "PATH_INFO")}|{Param(context, "SCRIPT_FILENAME")}");

    private static string Param(HttpContext context, string name) =>
        context.Features.GetRequiredFeature<IFastCgiRequestFeature>().TryGetParameter(name, out var value)
            ? Encoding.UTF8.GetString(value)
            : "";

    /// <summary>Asks for /blog/link.css, a link of the folder to another file.</summary>
    private static Task<(HttpStatusCode Status, string Text)> AskLinkAsync(string target) => AskAsync(
        "/blog/link.css", arrange: folder => File.CreateSymbolicLink(folder.Path + "/link.css", target));

    /// <summary>The status and the body; of a redirect its location. The root is cut off SCRIPT_FILENAME.</summary>
    private static async Task<(HttpStatusCode Status, string Text)> AskAsync(
        string target,
        Action<FastCgiGatewayOptions>? configure = null,
        string? root = null,
        HttpMethod? method = null,
        bool isScgi = false,
        Action<DocumentFolder>? arrange = null)
    {
        using var folder = new DocumentFolder(s_files);
        arrange?.Invoke(folder);
        await using var back = await GatewayBack.StartAsync(isScgi, DescribeAsync);
        await using var front = await StartAsync(back, folder, configure);
        using var client = new HttpMessageInvoker(new SocketsHttpHandler { AllowAutoRedirect = false });
        using var request = new HttpRequestMessage(
            method ?? HttpMethod.Get,
            new Uri(
                front.Uri.OriginalString + target,
                new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true }));
        using var answer = await client.SendAsync(request, CancellationToken.None).Within("an answer");
        string text = await answer.Content.ReadAsStringAsync().Within("its text");
        return (answer.StatusCode, answer.Headers.Location?.OriginalString ?? text.Replace(root ?? folder.Path, ""));
    }

    private static Task<GatewayFront> StartAsync(
        FunctionalServer back, DocumentFolder? folder, Action<FastCgiGatewayOptions>? configure) =>
        GatewayFront.StartAsync(
            application => application.MapFastCgi("/blog/{**path}", back.Address, options =>
            {
                options.DocumentRoot = folder?.Path;
                configure?.Invoke(options);
            }));
}
