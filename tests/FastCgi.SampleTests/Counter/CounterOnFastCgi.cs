using CounterSample.Live;
using FastCgi.Testing;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.SampleTests.Counter;

/// <summary>Program.cs as it is, over FastCGI.</summary>
public sealed class CounterOnFastCgi : FastCgiApplicationFactory<Feed>, ICounterSite
{
    private readonly WorkDirectory _directory = new();

    public CounterOnFastCgi() => Client = CreateClient();

    public HttpClient Client { get; }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _directory.Dispose();
    }

    protected override void ConfigureWebHost(IWebHostBuilder builder) => builder
        .UseSetting("Data", _directory.File("data"))
        .ConfigureLogging(static logging => logging.ClearProviders());
}
