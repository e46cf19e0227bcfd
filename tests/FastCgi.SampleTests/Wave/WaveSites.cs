using WaveSample.Controllers;

namespace FastCgi.SampleTests.Wave;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class WaveOnTestServer() : InMemorySample<WaveController>(overFastCgi: false);

/// <summary>Program.cs as it is, over FastCGI.</summary>
public sealed class WaveOnFastCgi() : InMemorySample<WaveController>(overFastCgi: true);

/// <summary>As a process behind nginx, which has the sample's own file, on our server.</summary>
public sealed class WaveBehindNginx : ServedSample
{
    private protected override Task<ProcessSite> StartAsync(string data) =>
        SampleProgram.StartBehindNginxAsync("Wave", "nginx.conf", "fastcgi", "--server", "fastcgi");
}

/// <summary>The same on Kestrel.</summary>
public sealed class WaveOnKestrelBehindNginx : ServedSample
{
    private protected override Task<ProcessSite> StartAsync(string data) =>
        SampleProgram.StartBehindNginxAsync("Wave", "nginx-kestrel.conf", "http", "--server", "kestrel");
}

/// <summary>Kestrel alone, on a free port.</summary>
public sealed partial class WaveOnKestrel : ISampleSite, IAsyncLifetime
{
    private readonly ChildProcess _sample =
        SampleProgram.Launch("Wave", "--server", "kestrel", "--urls", "http://127.0.0.1:0");

    private Uri? _address;

    public HttpClient Client => field ??= CreateBrowser();

    public HttpClient CreateBrowser() => new() { BaseAddress = _address };

    public async ValueTask InitializeAsync()
    {
        await _sample.WaitForStartAsync("Wave", TimeSpan.FromSeconds(60));
        _address = new Uri(Listening().Match(await _sample.Log.WaitForAsync("Now listening on: ")).Value);
    }

    public ValueTask DisposeAsync()
    {
        Client.Dispose();
        return _sample.DisposeAsync();
    }

    [GeneratedRegex("http://[0-9.:]+")]
    private static partial Regex Listening();
}

public sealed class WaveOnTestServerTests(WaveOnTestServer site)
    : WaveTests(site, "Microsoft.AspNetCore.TestHost"), IClassFixture<WaveOnTestServer>;

public sealed class WaveOnFastCgiTests(WaveOnFastCgi site)
    : WaveTests(site, "FastCgi.Testing"), IClassFixture<WaveOnFastCgi>;

public sealed class WaveBehindNginxTests(WaveBehindNginx site)
    : WaveTests(site, "FastCgi.AspNetCore"), IClassFixture<WaveBehindNginx>;

public sealed class WaveOnKestrelTests(WaveOnKestrel site)
    : WaveTests(site, "Microsoft.AspNetCore.Server.Kestrel"), IClassFixture<WaveOnKestrel>;

public sealed class WaveOnKestrelBehindNginxTests(WaveOnKestrelBehindNginx site)
    : WaveTests(site, "Microsoft.AspNetCore.Server.Kestrel"), IClassFixture<WaveOnKestrelBehindNginx>;

public sealed class WaveServerChoiceTests
{
    [Fact]
    public async Task An_unknown_server_is_refused_by_a_message_that_names_those_there_are()
    {
        await using var sample = SampleProgram.Launch("Wave", "--server", "iis");

        Assert.Equal(1, await sample.EndAsync());
        Assert.Contains("There is no server 'iis': --server is fastcgi or kestrel.", sample.Log.Lines);
    }
}
