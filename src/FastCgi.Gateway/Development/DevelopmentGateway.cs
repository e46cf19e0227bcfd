using System.Text;
using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The application's server during development: the FastCGI server that runs the application, and a Kestrel that sends
/// HTTP requests to it. Without an address for Kestrel, only the FastCGI server.
/// </summary>
internal sealed class DevelopmentGateway : IServer, IAsyncDisposable
{
    private readonly FastCgiServer _fastCgi;
    private readonly KestrelRegistration _kestrel;
    private readonly IServiceProvider _services;
    private readonly GatewayAddresses _addresses = new();
    private HttpFront? _front;

    public DevelopmentGateway(FastCgiServer fastCgi, KestrelRegistration kestrel, IServiceProvider services)
    {
        _fastCgi = fastCgi;
        _kestrel = kestrel;
        _services = services;
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

    /// <summary>Stops the front first, because the FastCGI server must still answer its requests.</summary>
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

    /// <summary>False if the host only has addresses for a web server.</summary>
    private bool IsFrontWanted() => _addresses.HasHttp || _addresses.Addresses.Count == 0
        || _services.GetService<IConfiguration>()?.GetSection("Kestrel:Endpoints").Exists() == true;

    private async Task StartWithFrontAsync<TContext>(
        IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        _front = new HttpFront(CreateKestrel(), _services.GetRequiredService<ILoggerFactory>());
        try
        {
            _addresses.Share(_front.Addresses, FastCgiAddresses);
            _fastCgi.AddEndpoints = _front.Endpoints.AddTo;
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

    private IServer CreateKestrel()
    {
        // The application's limit applies in the FastCGI server. Header values are already encoded bytes.
        KestrelServerOptions options = _services.GetRequiredService<IOptions<KestrelServerOptions>>().Value;
        options.Limits.MaxRequestBodySize = null;
        options.ResponseHeaderEncodingSelector = static _ => Encoding.Latin1;
        return _kestrel.Create(_services);
    }
}
