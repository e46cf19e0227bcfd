using FastCgi.Protocol;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.Logging;

namespace FastCgi.WebServerKit;

/// <summary>A real application in this process, listening on a unix socket of its own.</summary>
internal sealed class ServedApp : IAsyncDisposable
{
    private const string ScgiSuffix = ".scgi";

    private readonly WorkDirectory _directory;
    private readonly WebApplication _app;
    private bool _isStopped;

    private ServedApp(WorkDirectory directory, WebApplication app, LogRecorder log)
    {
        _directory = directory;
        _app = app;
        Log = log;
    }

    public LogRecorder Log { get; }

    public IServiceProvider Services => _app.Services;

    public string SocketPath => SocketIn(_directory);

    /// <summary>The content root, which every user may pass: for files that the web server reads too.</summary>
    public string Folder => _directory.Path;

    /// <summary>Where our server listens beside the socket, see <see cref="StartOnUnixAndTcpAsync"/>.</summary>
    public IPEndPoint TcpEndPoint => TcpEndPointOf("fastcgi://");

    /// <summary>Where it speaks SCGI beside these, see <see cref="StartOnUnixAndTcpAsync"/>.</summary>
    public string ScgiSocketPath => ScgiSocketIn(_directory);

    /// <inheritdoc cref="ScgiSocketPath"/>
    public IPEndPoint ScgiTcpEndPoint => TcpEndPointOf("scgi://");

    /// <param name="build">Services and configuration; may put files below the content root.</param>
    public static Task<ServedApp> StartAsync(
        BackEnd backEnd, Action<WebApplication> configure, Action<WebApplicationBuilder>? build = null) =>
        ListenAsync(backEnd.Listen, app => configure(With(backEnd, app)), build);

    /// <summary>
    /// Our server on the unix socket, which web servers of other users may use as well, and on a free port of
    /// 127.0.0.1, for web servers that know nothing else; and the same for SCGI.
    /// </summary>
    public static Task<ServedApp> StartOnUnixAndTcpAsync(
        Action<WebApplication> configure, Action<WebApplicationBuilder>? build = null) =>
        ListenAsync(
            (webHost, socketPath) => webHost.UseFastCgi(options =>
            {
                options.ListenUnixSocket(socketPath, socket => socket.UnixMode = WorkDirectory.EverybodysFile);
                options.Listen(IPAddress.Loopback, 0);
                options.ListenUnixSocket(socketPath + ScgiSuffix, socket =>
                {
                    socket.Protocol = FastCgiEndpointProtocol.Scgi;
                    socket.UnixMode = WorkDirectory.EverybodysFile;
                });
                options.Listen(IPAddress.Loopback, 0, listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);
            }),
            configure,
            build);

    private static async Task<ServedApp> ListenAsync(
        Action<IWebHostBuilder, string> listen,
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build)
    {
        var directory = new WorkDirectory();
        try
        {
            directory.Subdirectory("wwwroot");
            directory.LetEverybodyThrough();
            var log = new LogRecorder();
            var app = Build(directory, log, listen, build);
            configure(app);
            await app.StartAsync().Within("the application's start");
            return new ServedApp(directory, app, log);
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    /// <summary>The graceful stop, as SIGTERM asks for.</summary>
    public Task StopAsync()
    {
        _isStopped = true;
        return _app.StopAsync();
    }

    /// <summary>Stops as an application does; fails on an error in the log that the test did not announce.</summary>
    public async ValueTask DisposeAsync()
    {
        if (!_isStopped)
        {
            await StopAsync().Within("the application's stop");
        }

        await _app.DisposeAsync().AsTask().Within("the application's end");
        _directory.Dispose();
        Log.AssertNoUnexpectedErrors();
    }

    private static WebApplication With(BackEnd backEnd, WebApplication app)
    {
        backEnd.UseFirst?.Invoke(app);
        return app;
    }

    private static WebApplication Build(
        WorkDirectory directory,
        LogRecorder log,
        Action<IWebHostBuilder, string> listen,
        Action<WebApplicationBuilder>? build)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            // Without watchers on the configuration: the number that one user may have is small.
            Args = ["--hostBuilder:reloadConfigOnChange=false"],
            ApplicationName = typeof(ServedApp).Assembly.GetName().Name,
            ContentRootPath = directory.Path,
            EnvironmentName = "Production",
        });
        builder.Logging.ClearProviders().AddProvider(log).SetMinimumLevel(LogLevel.Warning);
        listen(builder.WebHost, SocketIn(directory));
        build?.Invoke(builder);
        return builder.Build();
    }

    private IPEndPoint TcpEndPointOf(string scheme) => _app.Services.GetRequiredService<IServer>().Features
        .Get<IServerAddressesFeature>()!.Addresses
        .Where(address => address.StartsWith(scheme, StringComparison.Ordinal))
        .Select(address => address[scheme.Length..])
        .Where(address => !address.StartsWith("unix:", StringComparison.Ordinal))
        .Select(IPEndPoint.Parse)
        .Single();

    private static string SocketIn(WorkDirectory directory) => directory.File("app.sock");

    private static string ScgiSocketIn(WorkDirectory directory) => SocketIn(directory) + ScgiSuffix;
}
