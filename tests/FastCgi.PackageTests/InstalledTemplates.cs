namespace FastCgi.PackageTests;

/// <summary>A home in which the templates are installed, from the package alone.</summary>
public sealed class InstalledTemplates(Feed feed) : IAsyncLifetime
{
    private readonly WorkDirectory _home = new();
    private readonly Dictionary<string, NewProject> _made = [];

    public async ValueTask InitializeAsync() => await Sdk.RunAsync(
        _home, _home.Path, "new", "install", Path.Combine(feed.Folder, $"FastCgi.Templates.{feed.Version}.nupkg"));

    public ValueTask DisposeAsync()
    {
        foreach (var project in _made.Values)
        {
            project.Dispose();
        }

        _home.Dispose();
        return ValueTask.CompletedTask;
    }

    internal NewProject NewProject() => new(feed, home: _home);

    /// <summary>
    /// The project Site.One of a template, made and built once for all tests, which change nothing in it. Its name is
    /// no identifier, as people have them.
    /// </summary>
    internal async Task<NewProject> MadeAsync(string template)
    {
        if (!_made.TryGetValue(template, out var made))
        {
            made = await NewProject().StartedAsync(async project =>
            {
                await project.RunAsync("new", template, "--output", "Site.One");
                await project.RunAsync("build", "Site.One", "-v:q", "-warnaserror");
            });
            _made.Add(template, made);
        }

        return made;
    }
}
