namespace FastCgi.SampleTests;

/// <summary>A sample, however it is served.</summary>
public interface ISampleSite
{
    /// <summary>Follows no redirect.</summary>
    HttpClient Client { get; }

    /// <summary>A client with cookies of its own, which follows no redirect and asks for localhost.</summary>
    HttpClient CreateBrowser();
}

/// <summary>Program.cs of a sample as it is, its server replaced by TestServer or by that of FastCgi.Testing.</summary>
/// <typeparam name="TEntry">A type of the sample.</typeparam>
public abstract class InMemorySample<TEntry> : ISampleSite, IAsyncLifetime
    where TEntry : class
{
    private readonly WorkDirectory _directory = new();
    private readonly bool _overFastCgi;
    private WebApplicationFactory<TEntry>? _factory;
    private HttpClient? _client;

    protected InMemorySample(bool overFastCgi) => _overFastCgi = overFastCgi;

    public HttpClient Client => _client ??= CreateBrowser();

    /// <summary>The sample in memory, started when it is first asked for.</summary>
    protected WebApplicationFactory<TEntry> Factory => _factory ??= Create([]);

    public async ValueTask InitializeAsync() => _factory = Create(await StartDatabaseAsync());

    public virtual HttpClient CreateBrowser() =>
        Factory.CreateClient(new WebApplicationFactoryClientOptions { AllowAutoRedirect = false });

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        _client?.Dispose();

        // The application first: the database waits for its connections to be closed.
        if (_factory is not null)
        {
            await _factory.DisposeAsync();
        }

        await StopDatabaseAsync();
        _directory.Dispose();
    }

    /// <summary>A sample with these settings, in memory, which logs nothing.</summary>
    internal static WebApplicationFactory<TEntry> Start(
        IEnumerable<(string Name, string Value)> settings, WebApplicationFactory<TEntry>? factory = null) =>
        (factory ?? new WebApplicationFactory<TEntry>()).WithWebHostBuilder(webHost =>
        {
            webHost.ConfigureLogging(static logging => logging.ClearProviders());
            foreach (var (name, value) in settings)
            {
                webHost.UseSetting(name, value);
            }
        });

    /// <returns>The settings that name the database; none for SQLite's file in the folder of the data.</returns>
    protected virtual Task<(string Name, string Value)[]> StartDatabaseAsync() =>
        Task.FromResult<(string, string)[]>([]);

    protected virtual ValueTask StopDatabaseAsync() => ValueTask.CompletedTask;

    private WebApplicationFactory<TEntry> Create((string, string)[] settings) => Start(
        [("Data", _directory.File("data")), .. settings],
        _overFastCgi ? new FastCgiApplicationFactory<TEntry>() : null);
}

/// <summary>A sample as a process of its own behind nginx.</summary>
public abstract class ServedSample : ISampleSite, IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private ProcessSite? _site;

    public HttpClient Client => Site.Client;

    /// <summary>Where a browser finds it.</summary>
    public Uri Address => Site.Address;

    internal ProcessSite Site => _site!;

    private protected WorkDirectory Files => _directory;

    public async ValueTask InitializeAsync() => _site = await StartAsync(_directory.File("data"));

    public HttpClient CreateBrowser() => CreateBrowser(Site);

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        _directory.Dispose();
    }

    internal static HttpClient CreateBrowser(ProcessSite site)
    {
        var browser = site.CreateBrowser();
        browser.DefaultRequestHeaders.Host = "localhost";
        return browser;
    }

    /// <param name="data">A folder that goes with the site.</param>
    private protected abstract Task<ProcessSite> StartAsync(string data);
}
