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
}
