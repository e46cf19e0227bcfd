namespace FastCgi.PackageTests;

/// <summary>A home in which the templates are installed, from the package alone.</summary>
public sealed class InstalledTemplates(Feed feed) : IAsyncLifetime
{
    private readonly WorkDirectory _home = new();

    public async ValueTask InitializeAsync() => await Sdk.RunAsync(
        _home, _home.Path, "new", "install", Path.Combine(feed.Folder, $"FastCgi.Templates.{feed.Version}.nupkg"));

    public ValueTask DisposeAsync()
    {
        _home.Dispose();
        return ValueTask.CompletedTask;
    }

    internal NewProject NewProject() => new(feed, home: _home);
}
