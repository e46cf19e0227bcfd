using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The endpoints of a server: bound, then accepting, changed by a reload, ended by a stop.</summary>
/// <param name="stopNow">The stop of the server has no more time.</param>
internal sealed class EndpointSet(CancellationToken stopNow) : IDisposable
{
    private volatile IReadOnlyList<BoundEndpoint> _current = [];
    private ITransport? _transport;
    private ConnectionSet? _connections;
    private ServerMetrics? _metrics;
    private DescriptorReserve? _reserve;

    public IReadOnlyList<BoundEndpoint> Current => _current;

    /// <summary>The address of a socket that ends with this process; null without one.</summary>
    public string? OwnAddress => _current.FirstOrDefault(static endpoint => !endpoint.IsInherited)?.Address;

    /// <summary>These are bound, and are closed with the set.</summary>
    public void Take(IReadOnlyList<BoundEndpoint> bound) => _current = bound;

    public void Start(ITransport transport, ConnectionSet connections, ServerMetrics? metrics)
    {
        (_transport, _connections, _metrics) = (transport, connections, metrics);
        _reserve = DescriptorReserve.OfProcess();
        foreach (BoundEndpoint endpoint in _current)
        {
            Start(endpoint);
        }
    }

    /// <summary>
    /// Listens on <paramref name="added"/> and on <paramref name="kept"/>, and on nothing else. Never throws. The task
    /// completes when the others accept no more; their connections end after their requests.
    /// </summary>
    public Task ChangeAsync(IReadOnlyList<BoundEndpoint> kept, IReadOnlyList<BoundEndpoint> added)
    {
        IReadOnlyList<BoundEndpoint> before = _current;
        _current = [.. kept, .. added];
        foreach (BoundEndpoint endpoint in added)
        {
            Start(endpoint);
        }

        return Task.WhenAll(before.Except(_current).Select(EndAsync));
    }

    /// <summary>Connections that are accepted from now on get the new terms.</summary>
    public void Change(BoundEndpoint endpoint, EndpointTerms terms)
    {
        EndpointTerms before = endpoint.Terms;
        bool goOn = terms.AllowsConnectionsOf(before);
        if (goOn)
        {
            terms.Options.Generation = before.Options.Generation;
        }

        endpoint.Terms = terms;
        if (!goOn)
        {
            _connections!.CloseAllOf(before.Options.Generation);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(_current.Select(endpoint => endpoint.Listener.StopAsync(cancellationToken)));

    public void Dispose()
    {
        foreach (BoundEndpoint endpoint in _current)
        {
            endpoint.Listener.Dispose();
        }

        _current = [];
    }

    private async Task EndAsync(BoundEndpoint endpoint)
    {
        // Idle connections end meanwhile: those that wait to be accepted may need their descriptors.
        Task accepting = endpoint.Listener.StopAsync(stopNow);
        _connections!.CloseAllOf(endpoint.Terms.Options.Generation);
        await accepting.ConfigureAwait(false);
    }

    private void Start(BoundEndpoint endpoint) =>
        endpoint.Listener.Start(_transport!, connection => Accept(endpoint, connection), _reserve);

    private void Accept(BoundEndpoint endpoint, TransportConnection connection)
    {
        EndpointTerms terms = endpoint.Terms;
        if (endpoint.Listener.IsProbe(connection) || terms.Admits(connection))
        {
            _connections!.OnAccepted(connection, terms.Options);
            return;
        }

        _metrics?.ConnectionRejected(endpoint.Listener.LocalEndPoint);
        FastCgiEventSource.Log.ConnectionRejected();
        connection.Close();
    }
}
