using CounterSample.Live;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;

namespace FastCgi.SampleTests.Counter;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class CounterOnTestServer : ICounterSite, IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly WebApplicationFactory<Feed> _factory;

    public CounterOnTestServer()
    {
        _factory = new WebApplicationFactory<Feed>().WithWebHostBuilder(webHost => webHost
            .UseSetting("Data", _directory.File("data"))
            .ConfigureLogging(static logging => logging.ClearProviders()));
        Client = _factory.CreateClient();
    }

    public HttpClient Client { get; }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _factory.DisposeAsync();
        _directory.Dispose();
    }
}
