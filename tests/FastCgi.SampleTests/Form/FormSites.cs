using FormSample;

namespace FastCgi.SampleTests.Form;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class FormOnTestServer() : InMemorySample<RequestLimits>(overFastCgi: false);

/// <summary>Program.cs as it is, over FastCGI, for a client whose address the test chooses.</summary>
public sealed class FormOnFastCgi() : InMemorySample<RequestLimits>(overFastCgi: true)
{
    public const string ClientAddress = "203.0.113.7";

    public override HttpClient CreateBrowser() => Factory.CreateFastCgiClient(
        new FastCgiTestClientOptions { AllowAutoRedirect = false, RemoteAddress = IPAddress.Parse(ClientAddress) });
}

/// <summary>The sample as a process behind nginx, which has the sample's own file.</summary>
public sealed class FormBehindNginx : ServedSample
{
    private protected override Task<ProcessSite> StartAsync(string data) => SampleProgram.StartBehindNginxAsync("Form");
}

/// <summary>Nobody connected to TestServer.</summary>
public sealed class FormOnTestServerTests(FormOnTestServer site)
    : FormTests(site, clientAddress: "none"), IClassFixture<FormOnTestServer>;

public sealed class FormOnFastCgiTests(FormOnFastCgi site)
    : FormTests(site, FormOnFastCgi.ClientAddress), IClassFixture<FormOnFastCgi>;

public sealed class FormBehindNginxTests(FormBehindNginx site, Browsers browsers)
    : FormTests(site, clientAddress: "127.0.0.1"), IClassFixture<FormBehindNginx>
{
    [Fact]
    public async Task A_head_beyond_the_limit_is_answered_with_431_and_the_next_request_as_ever()
    {
        // Each fits into nginx' buffers, all three are more than the 16 KiB of the settings.
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("/", UriKind.Relative));
        for (var number = 1; number <= 3; number++)
        {
            request.Headers.Add($"X-Large-{number}", new string('x', 6000));
        }

        using var refused = await site.Client.SendAsync(request).Within("the refusal");
        Assert.Equal(431, (int)refused.StatusCode);

        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Get, "/");
        Assert.Equal("GET", page.Shown("method"));
    }

    [Fact]
    public async Task What_is_typed_into_a_browser_is_shown_as_it_was_typed_and_never_run()
    {
        const string Typed = "Zoë & <script>document.title = 'run'</script> 100 %";
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "a/page?q=1"));
        Assert.Equal("GET", await browser.TextAsync("#method"));

        await browser.TypeAsync("input[name=data]", Typed);
        await browser.FollowAsync("button");

        Assert.Equal("POST", await browser.TextAsync("#method"));
        Assert.Equal("/a/page?q=1", await browser.TextAsync("#uri"));
        Assert.Contains(Typed, await browser.TextAsync("#posted"), StringComparison.Ordinal);
        Assert.Equal("Hello World!", (await browser.RunAsync("return document.title")).GetString());
    }
}
