using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;
using MvcSample.Controllers;

namespace FastCgi.SampleTests.Mvc;

/// <summary>The sample as its own developers would test it: Program.cs as it is, its server replaced.</summary>
public sealed class MvcOnTestServer : IMvcSite, IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly WebApplicationFactory<HomeController> _factory;

    public MvcOnTestServer() => _factory = new WebApplicationFactory<HomeController>().WithWebHostBuilder(webHost => webHost
        .UseSetting("Data", _directory.File("data"))
        .ConfigureLogging(logging => logging.ClearProviders()));

    public HttpClient CreateBrowser() =>
        _factory.CreateClient(new WebApplicationFactoryClientOptions { AllowAutoRedirect = false });

    public async ValueTask DisposeAsync()
    {
        await _factory.DisposeAsync();
        _directory.Dispose();
    }
}
