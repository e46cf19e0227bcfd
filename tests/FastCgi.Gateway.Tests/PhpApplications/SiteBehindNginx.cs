using FastCgi.Gateway.Tests.Php;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>PHP behind MapFastCgi of an application on this server, which is behind nginx.</summary>
[SupportedOSPlatform("linux")]
internal sealed class SiteBehindNginx : IAsyncDisposable
{
    private readonly PhpFpm _php;
    private readonly ServedApp _application;
    private readonly WebServer _nginx;

    private SiteBehindNginx(PhpFpm php, ServedApp application, WebServer nginx)
    {
        (_php, _application, _nginx) = (php, application, nginx);
        Address = new Uri($"http://{nginx.EndPoint}/");
    }

    public Uri Address { get; }

    public string PhpLog => _php.Log;

    /// <param name="mount">Where the application stands, as /wiki.</param>
    /// <param name="closed">Folders of it that nobody may see.</param>
    public static async Task<SiteBehindNginx> StartAsync(
        WorkDirectory directory, string mount, string root, params string[] closed)
    {
        var backEnd = BackEnd.FastCgi;
        var php = await UnpackedPackages.StartPhpAsync(directory);
        var application = await ServedApp.StartAsync(backEnd, app =>
        {
            app.MapFastCgi(mount + "/{**path}", php.Endpoint, options => options.DocumentRoot = root);
            foreach (string folder in closed)
            {
                app.Map($"{mount}/{folder}/{{**path}}", static () => Results.NotFound());
            }
        });
        var nginx = await backEnd.StartNginxAsync(application.SocketPath);
        return new SiteBehindNginx(php, application, nginx);
    }

    public async ValueTask DisposeAsync()
    {
        await _nginx.DisposeAsync();
        await _application.DisposeAsync();
        await _php.DisposeAsync();
    }
}
