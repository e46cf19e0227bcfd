namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// A HEAD request never replaces a page in the cache of nginx by an empty one. Behind <c>proxy_pass</c>, nginx turns
/// HEAD into GET for the cache; FastCGI and SCGI have no such directive.
/// </summary>
public sealed class CachedHeadTests
{
    private const string CommonKey = "$scheme$host$request_uri";
    private const string Page = "the whole page";

    public static TheoryData<BackEndKind, string, string> Keys =>
    [
        .. Enum.GetValues<BackEndKind>().SelectMany(static backEnd => ((BackEndKind, string, string)[])
        [
            (backEnd, CommonKey, ""), (backEnd, "$scheme$request_method$host$request_uri", ""),
            (backEnd, CommonKey, "Accept-Encoding"),
        ]),
    ];

    public static MatrixTheoryData<BackEndKind, bool> Tags => new(
        [BackEndKind.FastCgi, BackEndKind.Scgi, BackEndKind.Kestrel], [true, false]);

    [Theory, MemberData(nameof(Keys))]
    public async Task A_HEAD_before_the_first_GET_leaves_the_page_whole(BackEndKind backEnd, string key, string vary)
    {
        await using var site = await StartAsync(backEnd, key, context =>
        {
            context.Response.Headers.CacheControl = "public, max-age=600, immutable";
            context.Response.Headers.Vary = vary;
            return context.Response.WriteAsync(Page);
        });

        Assert.Equal("200 MISS ", await AskAsync(site, "HEAD", "/page"));
        Assert.StartsWith("200 ", await AskAsync(site, "GET", "/page"), StringComparison.Ordinal);
        Assert.Equal($"200 HIT {Page}", await AskAsync(site, "GET", "/page"));
        var head = await AskAsync(site, "HEAD", "/page");
        Assert.Equal($"200 {(key == CommonKey || backEnd == BackEndKind.Kestrel ? "HIT" : "MISS")} ", head);
        Assert.Equal($"200 HIT {Page}", await AskAsync(site, "GET", "/page"));
    }

    [Theory, BackEnds]
    public async Task A_time_of_the_location_caches_no_HEAD_either(BackEndKind backEnd)
    {
        await using var site = await StartAsync(
            backEnd,
            CommonKey,
            context =>
            {
                context.Response.StatusCode = context.Request.Path == "/page" ? 200 : 404;
                return context.Response.WriteAsync(Page);
            },
            "fastcgi_cache_valid any 10m;");

        foreach (var (target, status) in ((string, int)[])[("/page", 200), ("/missing", 404)])
        {
            await AskAsync(site, "HEAD", target);
            Assert.EndsWith($" {Page}", await AskAsync(site, "GET", target), StringComparison.Ordinal);
            Assert.EndsWith($"{status} HIT {Page}", await AskAsync(site, "GET", target), StringComparison.Ordinal);
        }
    }

    /// <summary>A HEAD that finds the page too old, with a tag to ask for and without.</summary>
    [Theory, MemberData(nameof(Tags))]
    public async Task A_HEAD_to_a_page_that_is_too_old_leaves_it_whole(BackEndKind backEnd, bool hasTag)
    {
        await using var site = await StartAsync(
            backEnd,
            CommonKey,
            context =>
            {
                context.Response.Headers.CacheControl = "public, max-age=1";
                if (hasTag)
                {
                    context.Response.Headers.ETag = "\"1\"";
                    if (context.Request.Headers.IfNoneMatch == "\"1\"")
                    {
                        context.Response.StatusCode = 304;
                        return Task.CompletedTask;
                    }
                }

                return context.Response.WriteAsync(Page);
            },
            "fastcgi_cache_revalidate on;");

        Assert.Equal($"200 MISS {Page}", await AskAsync(site, "GET", "/page"));
        var seen = "";
        await Eventually.HoldsAsync(
            () => (seen = AskAsync(site, "HEAD", "/page").GetAwaiter().GetResult())
                == $"200 {(hasTag ? "REVALIDATED" : "EXPIRED")} ",
            () => seen);
        Assert.EndsWith($" {Page}", await AskAsync(site, "GET", "/page"), StringComparison.Ordinal);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Scgi)]
    public async Task A_HEAD_that_renews_the_page_in_the_background_leaves_it_whole(BackEndKind backEnd)
    {
        var heads = 0;
        await using var site = await StartAsync(
            backEnd,
            CommonKey,
            context =>
            {
                heads += context.Request.Method == "HEAD" ? 1 : 0;
                context.Response.Headers.CacheControl = "public, max-age=1";
                return context.Response.WriteAsync(Page);
            },
            "fastcgi_cache_use_stale updating; fastcgi_cache_background_update on;");

        Assert.Equal($"200 MISS {Page}", await AskAsync(site, "GET", "/page"));
        await Eventually.HoldsAsync(
            () =>
            {
                AskAsync(site, "HEAD", "/page").GetAwaiter().GetResult();
                return Volatile.Read(ref heads) > 0;
            },
            () => "no HEAD came");
        Assert.EndsWith($" {Page}", await AskAsync(site, "GET", "/page"), StringComparison.Ordinal);
        Assert.EndsWith($" {Page}", await AskAsync(site, "GET", "/page"), StringComparison.Ordinal);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Scgi)]
    public async Task The_application_may_say_how_long_a_HEAD_is_kept(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd, "$request_method$request_uri", context =>
        {
            context.Response.Headers["X-Accel-Expires"] = "600";
            return context.Response.WriteAsync(Page);
        });

        Assert.Equal("200 MISS ", await AskAsync(site, "HEAD", "/page"));

        // nginx answers HEAD before the application's response has ended, and keeps it then.
        var seen = "";
        await Eventually.HoldsAsync(
            () => (seen = AskAsync(site, "HEAD", "/page").GetAwaiter().GetResult()) == "200 HIT ", () => seen);
        Assert.Equal($"200 MISS {Page}", await AskAsync(site, "GET", "/page"));
    }

    /// <summary>Also asserts that the client sees nothing of how.</summary>
    private static async Task<string> AskAsync(Site site, string method, string target)
    {
        var response = await site.SendAsync($"{method} {target} HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Null(response.Header("X-Accel-Expires"));
        return $"{response.Status} {response.Header("X-Cache")} {response.Text}";
    }

    /// <param name="key">What names a page in the cache.</param>
    private static Task<Site> StartAsync(
        BackEndKind backEnd, string key, RequestDelegate application, string more = "") => Site.StartAsync(
        backEnd,
        app => app.Run(application),
        nginx: new NginxSettings
        {
            Http = "fastcgi_cache_path cache keys_zone=pages:1m;",
            More = $"""
                fastcgi_cache pages;
                fastcgi_cache_key "{key}";
                add_header X-Cache $upstream_cache_status always;
                {more}
                """,
        });
}
