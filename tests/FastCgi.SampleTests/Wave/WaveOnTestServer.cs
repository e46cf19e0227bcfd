using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;
using WaveSample.Controllers;

namespace FastCgi.SampleTests.Wave;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class WaveOnTestServer : IWaveSite, IAsyncDisposable
{
    private readonly WebApplicationFactory<WaveController> _factory = new WebApplicationFactory<WaveController>()
        .WithWebHostBuilder(static webHost => webHost.ConfigureLogging(static logging => logging.ClearProviders()));

    public WaveOnTestServer() => Client = _factory.CreateClient();

    public HttpClient Client { get; }

    public string Server => "Microsoft.AspNetCore.TestHost";

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _factory.DisposeAsync();
    }
}
