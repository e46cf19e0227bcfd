using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;
using ShopSample.Catalog;

namespace FastCgi.SampleTests.Shop;

/// <summary>The shop as its own developers would test it: Program.cs as it is, its server replaced.</summary>
public class ShopOnTestServer : IShopSite, IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private WebApplicationFactory<Item>? _factory;

    public async ValueTask InitializeAsync()
    {
        var settings = await StartDatabaseAsync();
        _factory = CreateFactory().WithWebHostBuilder(webHost =>
        {
            webHost.UseSetting("Data", _directory.File("data"))
                .UseSetting(ShopProgram.KeepsFiles, "true")
                .ConfigureLogging(logging => logging.ClearProviders());
            foreach (var (name, value) in settings)
            {
                webHost.UseSetting(name, value);
            }
        });
    }

    public HttpClient CreateBrowser() =>
        _factory!.CreateClient(new WebApplicationFactoryClientOptions { AllowAutoRedirect = false });

    /// <summary>The factory of a server.</summary>
    protected virtual WebApplicationFactory<Item> CreateFactory() => new();

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        // The application first: the database waits for its connections to be closed.
        if (_factory is not null)
        {
            await _factory.DisposeAsync();
        }

        await StopDatabaseAsync();
        _directory.Dispose();
    }

    /// <returns>The settings that name the database; none for SQLite's file in the data directory.</returns>
    protected virtual Task<Dictionary<string, string>> StartDatabaseAsync() =>
        Task.FromResult(new Dictionary<string, string>());

    protected virtual ValueTask StopDatabaseAsync() => ValueTask.CompletedTask;
}
