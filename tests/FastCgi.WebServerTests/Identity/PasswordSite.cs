namespace FastCgi.WebServerTests.Identity;

/// <summary>The members' application, a web server in front of it, and its file of passwords.</summary>
internal sealed class PasswordSite : IAsyncDisposable
{
    private readonly WorkDirectory _directory;
    private readonly Site _site;

    private PasswordSite(WorkDirectory directory, Site site)
    {
        _directory = directory;
        _site = site;
    }

    public ServedApp App => _site.App;

    /// <param name="userParam">The param that is vouched for.</param>
    /// <param name="start">Starts the web server, given the application and the file of passwords.</param>
    /// <param name="build">Further services and options.</param>
    public static async Task<PasswordSite> StartAsync(
        string userParam,
        Func<ServedApp, string, Task<WebServer>> start,
        Action<WebApplicationBuilder>? build = null)
    {
        var directory = new WorkDirectory();
        try
        {
            // Apache's workers are another user, and read it for each request.
            directory.LetEverybodyThrough();
            var passwords = directory.File("members");
            await File.WriteAllTextAsync(passwords, MembersApp.Passwords);
            var site = await Site.StartAsync(
                app => start(app, passwords),
                MembersApp.Configure,
                builder =>
                {
                    MembersApp.Build(builder, userParam);
                    build?.Invoke(builder);
                });
            return new PasswordSite(directory, site);
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    public Task<RawHttpClient> ConnectAsync() => _site.ConnectAsync();

    /// <inheritdoc cref="Site.SendAsync"/>
    public Task<RawResponse> SendAsync(string request) => _site.SendAsync(request);

    public async ValueTask DisposeAsync()
    {
        await _site.DisposeAsync();
        _directory.Dispose();
    }
}
