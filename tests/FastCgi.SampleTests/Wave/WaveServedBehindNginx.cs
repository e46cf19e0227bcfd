namespace FastCgi.SampleTests.Wave;

/// <summary>Behind nginx, on our server.</summary>
public sealed class WaveBehindNginx() : WaveServedBehindNginx("fastcgi", "nginx.conf", "FastCgi.AspNetCore");

/// <summary>Behind nginx, on Kestrel.</summary>
public sealed class WaveOnKestrelBehindNginx()
    : WaveServedBehindNginx("kestrel", "nginx-kestrel.conf", "Microsoft.AspNetCore.Server.Kestrel");

/// <summary>As a process behind nginx, which has the sample's own file.</summary>
public abstract class WaveServedBehindNginx(string server, string nginxFile, string expected)
    : IWaveSite, IAsyncLifetime
{
    private SampleBehindNginx? _site;

    public HttpClient Client => _site!.Client;

    public string Server => expected;

    public async ValueTask InitializeAsync() => _site = await SampleBehindNginx.StartAsync(
        "Wave", nginxFile, server == "kestrel" ? "http" : "fastcgi", "--server", server);

    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return _site?.DisposeAsync() ?? ValueTask.CompletedTask;
    }
}
