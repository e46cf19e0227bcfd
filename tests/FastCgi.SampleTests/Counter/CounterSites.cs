using CounterSample.Live;

namespace FastCgi.SampleTests.Counter;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class CounterOnTestServer() : InMemorySample<Feed>(overFastCgi: false);

/// <summary>Program.cs as it is, over FastCGI.</summary>
public sealed class CounterOnFastCgi() : InMemorySample<Feed>(overFastCgi: true);

/// <summary>The sample as a process behind nginx, which has the sample's own file: <c>scgi_pass</c>.</summary>
public sealed class CounterBehindNginx : ServedSample
{
    internal async Task RestartAsync()
    {
        Assert.Equal(0, await Site.StopAsync());
        await Site.StartAgainAsync();
    }

    private protected override Task<ProcessSite> StartAsync(string data) => SampleProgram.StartBehindNginxAsync(
        "Counter", "nginx.conf", "scgi", "--Data", data, "--Logging:LogLevel:FastCgi.AspNetCore", "Debug");
}

public sealed class CounterOnTestServerTests(CounterOnTestServer site)
    : CounterTests(site), IClassFixture<CounterOnTestServer>;

public sealed class CounterOnFastCgiTests(CounterOnFastCgi site)
    : CounterTests(site), IClassFixture<CounterOnFastCgi>;
