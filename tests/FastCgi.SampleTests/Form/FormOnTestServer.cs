using FormSample;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;

namespace FastCgi.SampleTests.Form;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class FormOnTestServer : IFormSite, IAsyncDisposable
{
    private readonly WebApplicationFactory<RequestLimits> _factory;

    public FormOnTestServer()
        : this([])
    {
    }

    /// <param name="settings">As on the command line.</param>
    internal FormOnTestServer(params (string Name, string Value)[] settings)
    {
        _factory = new WebApplicationFactory<RequestLimits>().WithWebHostBuilder(webHost =>
        {
            webHost.ConfigureLogging(static logging => logging.ClearProviders());
            foreach (var (name, value) in settings)
            {
                webHost.UseSetting(name, value);
            }
        });

        // Following redirects would mean to keep the body, which is read to its end for that before it is sent.
        Client = _factory.CreateClient(new WebApplicationFactoryClientOptions { AllowAutoRedirect = false });
    }

    public HttpClient Client { get; }

    public IServiceProvider Services => _factory.Services;

    /// <summary>Nobody connected to TestServer.</summary>
    public string ClientAddress => "none";

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _factory.DisposeAsync();
    }
}
