using System.Runtime.Versioning;
using FastCgi.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.PlainCgi;

/// <summary>
/// Answers one request of plain CGI and ends the program. The server itself does the work: the request goes to it by a
/// connection in memory.
/// </summary>
internal sealed partial class PlainCgiServer : IServer, IAsyncDisposable
{
    private const int FailedResponse = 1;

    private readonly FastCgiServer _server;
    private readonly IHostApplicationLifetime _lifetime;

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
        settings.RemoveEndpoints();
        _server = new FastCgiServer(options, loggers, services) { IsExclusive = true };
        foreach ((Type type, object feature) in _server.Features)
        {
            Features[type] = feature;
        }

        // There is no address to tell of, and none to take from the host.
        Features.Set<IServerAddressesFeature>(new NoAddresses());
    }

    public IFeatureCollection Features { get; } = new FeatureCollection();

    public async Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        await _server.StartAsync(application, cancellationToken).ConfigureAwait(false);
        _lifetime.ApplicationStarted.Register(() => _ = Task.Run(AnswerAsync, CancellationToken.None));
    }

    public Task StopAsync(CancellationToken cancellationToken) => _server.StopAsync(cancellationToken);

    public void Dispose() => _server.Dispose();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private async Task AnswerAsync()
    {
        try
        {
            if (!OperatingSystem.IsWindows() && !await ConverseAsync().ConfigureAwait(false))
            {
                Environment.ExitCode = FailedResponse;
            }
        }
        catch (Exception exception) when (exception is IOException or InvalidOperationException)
        {
            // The web server closed a descriptor: the client is gone. Or the host stops already.
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
        await using Stream server = _server.Connect();
        await using Stream response = CgiStreams.OpenResponse();
        await using Stream errors = Console.OpenStandardError();
        return await ConverseAsync(server, response, errors).ConfigureAwait(false);
    }

    private sealed class NoAddresses : IServerAddressesFeature
    {
        public ICollection<string> Addresses { get; } = [];

        public bool PreferHostingUrls { get; set; }
    }
}
