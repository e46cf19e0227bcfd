using CrudApiSample.Catalogues;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>The sample on TestServer, on a database that is made by the derived class.</summary>
public abstract class CrudSite : IAsyncLifetime
{
    private WebApplicationFactory<Table>? _factory;

    /// <summary>What <c>Database:Kind</c> is.</summary>
    protected abstract string Kind { get; }

    public CrudClient CreateClient() => new(_factory!.CreateClient(new() { AllowAutoRedirect = false }));

    public async ValueTask InitializeAsync()
    {
        var connectionString = await CreateDatabaseAsync();
        _factory = Start(new Dictionary<string, string>
        {
            ["Database:Kind"] = Kind,
            ["ConnectionStrings:Database"] = connectionString,
        });
    }

    /// <summary>The sample with these settings.</summary>
    internal static WebApplicationFactory<Table> Start(IReadOnlyDictionary<string, string> settings) =>
        new WebApplicationFactory<Table>().WithWebHostBuilder(webHost =>
        {
            foreach (var (name, value) in settings)
            {
                webHost.UseSetting(name, value);
            }

            webHost.ConfigureLogging(logging => logging.ClearProviders());
        });

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        // The application first: the database waits for its connections to be closed.
        if (_factory is not null)
        {
            await _factory.DisposeAsync();
        }

        await DeleteDatabaseAsync();
    }

    /// <summary>Makes the blog and the further tables.</summary>
    /// <returns>The connection string.</returns>
    protected abstract Task<string> CreateDatabaseAsync();

    protected abstract ValueTask DeleteDatabaseAsync();
}
