using FastCgi.Testing;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;
using MvcSample.Controllers;

namespace FastCgi.SampleTests.Mvc;

/// <summary>The sample as its own developers would test it over FastCGI: Program.cs as it is, no web server.</summary>
public sealed class MvcOnFastCgi : IMvcSite, IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly WebApplicationFactory<HomeController> _factory;

    public MvcOnFastCgi() => _factory = new FastCgiApplicationFactory<HomeController>().WithWebHostBuilder(
        webHost => webHost
            .UseSetting("Data", _directory.File("data"))
            .ConfigureLogging(logging => logging.ClearProviders()));

    public HttpClient CreateBrowser() =>
        _factory.CreateFastCgiClient(new FastCgiTestClientOptions { AllowAutoRedirect = false });

    public async ValueTask DisposeAsync()
    {
        await _factory.DisposeAsync();
        _directory.Dispose();
    }
}
