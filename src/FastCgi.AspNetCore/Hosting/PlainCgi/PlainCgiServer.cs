using System.Net.Sockets;
using System.Runtime.Versioning;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Hosting.PlainCgi;

/// <summary>
/// Answers one request of plain CGI and ends the program. The server itself does the work: the request goes to it by a
/// socket that only this process knows.
/// </summary>
internal sealed class PlainCgiServer : IServer, IAsyncDisposable
{
    private const int FailedResponse = 1;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly FastCgiServer _server;
    private readonly IHostApplicationLifetime _lifetime;
    private readonly DirectoryInfo _directory;

    public PlainCgiServer(
        IOptions<FastCgiServerOptions> options,
        ILoggerFactory loggers,
        IServiceProvider services,
        IHostApplicationLifetime lifetime)
    {
        _lifetime = lifetime;
        // Settings that the client's headers made are gone with them.
        (services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
        FastCgiServerOptions settings = options.Value;

        // Other requests have a process each, which could not bind it again.
        settings.Status.Endpoint = null;
        _directory = Directory.CreateTempSubdirectory("fastcgi-cgi-");
        try
        {
            settings.ReplaceEndpoints(SocketPath, static listen => listen.UnixMode = OwnerOnly);
            _server = new FastCgiServer(options, loggers, services);
        }
        catch
        {
            // Nobody disposes what could not be made, and each request would leave another one behind.
            RemoveDirectory();
            throw;
        }

        foreach ((Type type, object feature) in _server.Features)
        {
            Features[type] = feature;
        }

        // There is no address to tell of, and none to take from the host.
        Features.Set<IServerAddressesFeature>(new NoAddresses());
    }

    public IFeatureCollection Features { get; } = new FeatureCollection();

    private string SocketPath => Path.Combine(_directory.FullName, "cgi.sock");

    public async Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        await _server.StartAsync(application, cancellationToken).ConfigureAwait(false);
        _lifetime.ApplicationStarted.Register(() => _ = Task.Run(AnswerAsync, CancellationToken.None));
    }

    public Task StopAsync(CancellationToken cancellationToken) => _server.StopAsync(cancellationToken);

    public void Dispose()
    {
        _server.Dispose();
        RemoveDirectory();
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync().ConfigureAwait(false);
        RemoveDirectory();
    }

    private async Task AnswerAsync()
    {
        try
        {
            if (!OperatingSystem.IsWindows() && !await ConverseAsync().ConfigureAwait(false))
            {
                Environment.ExitCode = FailedResponse;
            }
        }
        catch (Exception exception) when (exception is IOException or SocketException)
        {
            // The web server closed a descriptor: the client is gone.
            Environment.ExitCode = FailedResponse;
        }
        finally
        {
            _lifetime.StopApplication();
        }
    }

    [UnsupportedOSPlatform("windows")]
    private async Task<bool> ConverseAsync()
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath)).ConfigureAwait(false);
        await using var stream = new NetworkStream(socket);
        await using Stream response = CgiStreams.OpenResponse();
        await using Stream errors = Console.OpenStandardError();
        return await new CgiConversation(stream, CgiStreams.OpenBody(), response, errors)
            .RunAsync(CgiEnvironment.Current).ConfigureAwait(false);
    }

    private void RemoveDirectory()
    {
        if (Directory.Exists(_directory.FullName))
        {
            _directory.Delete(recursive: true);
        }
    }

    private sealed class NoAddresses : IServerAddressesFeature
    {
        public ICollection<string> Addresses { get; } = [];

        public bool PreferHostingUrls { get; set; }
    }
}
