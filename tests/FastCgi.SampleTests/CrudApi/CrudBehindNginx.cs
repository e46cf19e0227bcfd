namespace FastCgi.SampleTests.CrudApi;

/// <summary>
/// The sample as it is served: a process on our server behind nginx, with the blog that comes with it.
/// </summary>
public sealed class CrudBehindNginx : IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private ProcessSite? _site;

    public async ValueTask InitializeAsync() => _site = await StartAsync("--data", _directory.File("data"));

    /// <summary>Starts the sample with further arguments.</summary>
    internal static Task<ProcessSite> StartAsync(params string[] arguments) => ProcessSite.StartAsync(
        "dotnet",
        [Path.Combine(AppContext.BaseDirectory, "CrudApi.dll"), .. arguments],
        Path.Combine(Repository.Root, "samples", "CrudApi"));

    public CrudClient CreateClient() => new(_site!.CreateBrowser());

    public async ValueTask DisposeAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        _directory.Dispose();
    }
}
