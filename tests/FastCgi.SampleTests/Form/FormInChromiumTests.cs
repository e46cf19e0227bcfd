namespace FastCgi.SampleTests.Form;

/// <summary>The form used in a real browser.</summary>
public sealed class FormInChromiumTests
{
    [Fact]
    public async Task What_is_typed_is_shown_as_it_was_typed_and_never_run()
    {
        const string Typed = "Zoë & <script>document.title = 'run'</script> 100 %";
        await using var site = await SampleProgram.StartBehindNginxAsync("Form");
        await using var browser = await Chromium.StartAsync(
            Viewport.Desktop, new Uri($"http://{site.EndPoint}/a/page?q=1"));
        Assert.Equal("GET", await browser.TextAsync("#method"));

        await browser.TypeAsync("input[name=data]", Typed);
        await browser.FollowAsync("button");

        Assert.Equal("POST", await browser.TextAsync("#method"));
        Assert.Equal("/a/page?q=1", await browser.TextAsync("#uri"));
        Assert.Contains(Typed, await browser.TextAsync("#posted"), StringComparison.Ordinal);
        Assert.Equal("Hello World!", (await browser.RunAsync("return document.title")).GetString());
    }
}
