namespace FastCgi.SampleTests.Shop;

/// <summary>The same application as a process of its own, on our server behind nginx.</summary>
public sealed class ShopBehindNginx : IShopSite, IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private ProcessSite? _site;

    /// <summary>Where a browser finds it.</summary>
    public Uri Address => _site!.Client.BaseAddress!;

    public async ValueTask InitializeAsync() => _site = await StartAsync(_directory.File("data"));

    public HttpClient CreateBrowser() => CreateBrowser(_site!);

    public async ValueTask DisposeAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        _directory.Dispose();
    }

    internal static Task<ProcessSite> StartAsync(string data)
    {
        // The environment that WebApplicationFactory chooses.
        var environment = new Dictionary<string, string> { ["ASPNETCORE_ENVIRONMENT"] = "Development" };
        string[] arguments = [ShopProgram.File, "--data", data, $"--{ShopProgram.KeepsFiles}", "true"];
        return ProcessSite.StartAsync("dotnet", arguments, ShopProgram.Directory, environment);
    }

    internal static HttpClient CreateBrowser(ProcessSite site)
    {
        var browser = site.CreateBrowser();
        browser.DefaultRequestHeaders.Host = "localhost";
        return browser;
    }
}
