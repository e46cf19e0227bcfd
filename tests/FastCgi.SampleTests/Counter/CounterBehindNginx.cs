namespace FastCgi.SampleTests.Counter;

/// <summary>The sample as a process behind nginx, which has the sample's own file: <c>scgi_pass</c>.</summary>
public sealed class CounterBehindNginx : ICounterSite, IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private SampleBehindNginx? _site;

    public HttpClient Client => _site!.Client;

    /// <summary>Where a browser finds it.</summary>
    public Uri Address => new($"http://{_site!.EndPoint}/");

    /// <summary>What the server tells of its connections.</summary>
    internal ErrorLog Log => _site!.Log;

    internal async Task StopAsync() => Assert.Equal(0, await _site!.StopSampleAsync());

    internal async Task RestartAsync()
    {
        await StopAsync();
        await _site!.StartSampleAgainAsync();
    }

    public async ValueTask InitializeAsync() => _site = await SampleBehindNginx.StartAsync(
        "Counter", "nginx.conf", "scgi",
        "--Data", _directory.File("data"), "--Logging:LogLevel:FastCgi.AspNetCore", "Debug");

    public async ValueTask DisposeAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        _directory.Dispose();
    }
}
