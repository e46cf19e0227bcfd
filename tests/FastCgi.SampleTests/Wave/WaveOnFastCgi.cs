using FastCgi.Testing;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using WaveSample.Controllers;

namespace FastCgi.SampleTests.Wave;

/// <summary>Program.cs as it is, over FastCGI.</summary>
public sealed class WaveOnFastCgi : FastCgiApplicationFactory<WaveController>, IWaveSite
{
    public WaveOnFastCgi() => Client = CreateClient();

    public HttpClient Client { get; }

    string IWaveSite.Server => "FastCgi.Testing";

    protected override void ConfigureWebHost(IWebHostBuilder builder) =>
        builder.ConfigureLogging(static logging => logging.ClearProviders());
}
