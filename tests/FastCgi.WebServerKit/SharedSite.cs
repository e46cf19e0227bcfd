namespace FastCgi.WebServerKit;

/// <summary>Sites for all tests of a class, which run one by one. Each starts when the first of them asks for it.</summary>
public class SharedSite : IAsyncLifetime
{
    private readonly Dictionary<object, Task<Site>> _sites = [];

    public ValueTask InitializeAsync() => default;

    /// <summary>Fails on an error in an application's log that no test announced.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        foreach (var site in _sites.Values.Where(static site => site.IsCompletedSuccessfully))
        {
            await (await site).DisposeAsync();
        }
    }

    /// <param name="key">What tells it from the others of the class, where there are several.</param>
    internal Task<Site> StartedAsync(Func<Task<Site>> start, object? key = null)
    {
        if (!_sites.TryGetValue(key ?? "", out var site))
        {
            _sites[key ?? ""] = site = start();
        }

        return site;
    }
}
