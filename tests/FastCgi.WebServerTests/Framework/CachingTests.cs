namespace FastCgi.WebServerTests.Framework;

public sealed class CachingTests
{
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Output_caching_answers_the_second_request_without_the_endpoint(BackEndKind backEnd)
    {
        var calls = 0;
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseOutputCache();
                app.MapGet("/", () => $"call {++calls}").CacheOutput();
            },
            builder => builder.Services.AddOutputCache());

        Assert.Equal("call 1", (await site.AskAsync("/")).Text);
        var second = await site.AskAsync("/");
        Assert.Equal("call 1", second.Text);
        Assert.NotNull(second.Header("Age"));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Response_caching_obeys_Cache_Control(BackEndKind backEnd)
    {
        var calls = 0;
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseResponseCaching();
                app.MapGet("/", (HttpResponse response) =>
                {
                    response.Headers.CacheControl = "public, max-age=600";
                    return $"call {++calls}";
                });
            },
            builder => builder.Services.AddResponseCaching());

        Assert.Equal("call 1", (await site.AskAsync("/")).Text);
        var second = await site.AskAsync("/");
        Assert.Equal("call 1", second.Text);
        Assert.NotNull(second.Header("Age"));
        var insisting = await site.AskAsync("/", "Cache-Control: no-cache");
        Assert.Equal("call 2", insisting.Text);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Static_files_have_type_tag_and_default_document(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.UseFileServer(),
            builder =>
            {
                var root = Path.Combine(builder.Environment.ContentRootPath, "wwwroot");
                File.WriteAllText(Path.Combine(root, "index.html"), "<p>index</p>");
                File.WriteAllText(Path.Combine(root, "a file.css"), "p { }");
            });

        var index = await site.AskAsync("/");
        Assert.Equal(("text/html", "<p>index</p>"), (index.Header("Content-Type"), index.Text));
        var file = await site.AskAsync("/a%20file.css");
        Assert.Equal(("text/css", "bytes"), (file.Header("Content-Type"), file.Header("Accept-Ranges")));
        Assert.Equal("p { }", file.Text);
        var again = await site.SendAsync(
            $"GET /a%20file.css HTTP/1.1\r\nHost: h\r\nIf-None-Match: {file.Header("ETag")}\r\n\r\n");
        Assert.Equal((304, 0), (again.Status, again.Body.Length));
        Assert.Equal(404, (await site.AskAsync("/x/y/..%2F..%2Fapp.sock")).Status);
    }
}
