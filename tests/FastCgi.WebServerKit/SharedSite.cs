namespace FastCgi.WebServerKit;

/// <summary>A site for all tests of a class, which run one by one. It starts when the first of them asks for it.</summary>
public class SharedSite : IAsyncLifetime
{
    private Task<Site>? _site;

    public ValueTask InitializeAsync() => default;

    /// <summary>Fails on an error in the application's log that no test announced.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_site is { IsCompletedSuccessfully: true })
        {
            await (await _site).DisposeAsync();
        }
    }

    internal Task<Site> StartedAsync(Func<Task<Site>> start) => _site ??= start();
}
