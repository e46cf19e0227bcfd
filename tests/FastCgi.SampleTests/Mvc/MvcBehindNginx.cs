namespace FastCgi.SampleTests.Mvc;

/// <summary>The same application as a process of its own, on our server behind nginx.</summary>
public sealed class MvcBehindNginx : IMvcSite, IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private ProcessSite? _site;

    public async ValueTask InitializeAsync()
    {
        var program = Path.Combine(AppContext.BaseDirectory, "Mvc.dll");
        var contentRoot = Path.Combine(Repository.Root, "samples", "Mvc");

        // The environment that WebApplicationFactory chooses.
        var environment = new Dictionary<string, string> { ["ASPNETCORE_ENVIRONMENT"] = "Development" };
        _site = await ProcessSite.StartAsync(
            "dotnet", [program, "--data", _directory.File("data")], contentRoot, environment);
    }

    public HttpClient CreateBrowser()
    {
        var browser = _site!.CreateBrowser();
        browser.DefaultRequestHeaders.Host = "localhost";
        return browser;
    }

    public async ValueTask DisposeAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        _directory.Dispose();
    }
}
