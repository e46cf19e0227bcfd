using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The application's server during development: the FastCGI server that runs the application, and a Kestrel that sends
/// HTTP requests to it. Without an address for Kestrel it is the FastCGI server alone.
/// </summary>
internal sealed class DevelopmentGateway : IServer, IAsyncDisposable
{
    private readonly GatewayServers _servers;
    private readonly IServiceProvider _services;
    private readonly ILoggerFactory _loggers;
    private readonly GatewayAddresses _addresses = new();
    private readonly IServer _fastCgi;
    private HttpFront? _front;

    public DevelopmentGateway(GatewayServers servers, IServiceProvider services, ILoggerFactory loggers)
    {
        _servers = servers;
        _services = services;
        _loggers = loggers;
        _fastCgi = servers.CreateFastCgi(services);
        Features.Set<IServerAddressesFeature>(_addresses);
    }

    public IFeatureCollection Features { get; } = new FeatureCollection();

    private IServerAddressesFeature FastCgiAddresses => _fastCgi.Features.GetRequiredFeature<IServerAddressesFeature>();

    public async Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        if (IsFrontWanted())
        {
            await StartWithFrontAsync(application, cancellationToken).ConfigureAwait(false);
        }
        else
        {
            _addresses.Share(FastCgiAddresses, FastCgiAddresses);
            await _fastCgi.StartAsync(application, cancellationToken).ConfigureAwait(false);
            _addresses.Publish(FastCgiAddresses.Addresses);
        }
    }

    /// <summary>First the front, whose requests the FastCGI server still answers.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (_front is { } front)
        {
            await front.StopAsync(cancellationToken).ConfigureAwait(false);
        }

        await _fastCgi.StopAsync(cancellationToken).ConfigureAwait(false);
        _front?.Dispose();
    }

    public void Dispose() => StopAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();

    public async ValueTask DisposeAsync() =>
        await StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);

    /// <summary>Not where the host has addresses for a web server alone.</summary>
    private bool IsFrontWanted() => _addresses.HasHttp || _addresses.Addresses.Count == 0
        || _services.GetService<IConfiguration>()?.GetSection("Kestrel:Endpoints").Exists() == true;

    private async Task StartWithFrontAsync<TContext>(
        IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        IFastCgiGatewayFeature feature = _fastCgi.Features.Get<IFastCgiGatewayFeature>()
            ?? throw new InvalidOperationException(
                $"The development gateway needs the FastCGI server, and found {_fastCgi.GetType()}. Call UseFastCgi " +
                "before UseFastCgiDevelopmentGateway, and no other server after it.");
        _front = new HttpFront(_servers.CreateKestrel(_services), _loggers);
        try
        {
            _addresses.Share(_front.Addresses, FastCgiAddresses);
            feature.AddEndpoints = _front.Endpoints.AddTo;
            await _fastCgi.StartAsync(application, cancellationToken).ConfigureAwait(false);
            string[] bound = [.. FastCgiAddresses.Addresses];
            string[] own = bound[^PrivateEndpoints.Count..];
            FastCgiServerOptions options = _services.GetRequiredService<IOptions<FastCgiServerOptions>>().Value;
            await _front.StartAsync(
                own[0], own[1], options.Limits.MaxRequestBodySize, cancellationToken).ConfigureAwait(false);
            _addresses.Publish([.. _front.Addresses.Addresses, .. bound[..^PrivateEndpoints.Count]]);
        }
        catch
        {
            await StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);
            throw;
        }
    }
}
