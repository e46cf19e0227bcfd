using FastCgi.AspNetCore.Hosting;
using FastCgi.Gateway.Development;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.Gateway.Doors;

/// <summary>
/// FastCGI and Kestrel with one application: each uses the addresses of the host on which it can listen.
/// </summary>
internal sealed class TwoServers : IServer, IAsyncDisposable
{
    private readonly GatewayAddresses _addresses = new();
    private readonly FastCgiServer _fastCgi;
    private readonly IServer _kestrel;

    public TwoServers(FastCgiServer fastCgi, IServer kestrel)
    {
        _fastCgi = fastCgi;
        _kestrel = kestrel;
        Features.Set<IServerAddressesFeature>(_addresses);
    }

    public IFeatureCollection Features { get; } = new FeatureCollection();

    public async Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        IServerAddressesFeature http = AddressesOf(_kestrel);
        IServerAddressesFeature fastCgi = AddressesOf(_fastCgi);
        _addresses.Share(http, fastCgi);
        _fastCgi.KestrelListens = true;
        try
        {
            await _fastCgi.StartAsync(application, cancellationToken).ConfigureAwait(false);
            await _kestrel.StartAsync(application, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);
            throw;
        }

        _addresses.Publish([.. http.Addresses, .. fastCgi.Addresses]);
    }

    /// <summary>Stops both at once, so that each has all the time that the host allows.</summary>
    public Task StopAsync(CancellationToken cancellationToken) => Task.WhenAll(
        _fastCgi.StopAsync(cancellationToken), _kestrel.StopAsync(cancellationToken));

    public void Dispose()
    {
        _kestrel.Dispose();
        _fastCgi.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);
        Dispose();
    }

    private static IServerAddressesFeature AddressesOf(IServer server) =>
        server.Features.GetRequiredFeature<IServerAddressesFeature>();
}
