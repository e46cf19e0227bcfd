using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The endpoints of a server: bound, then accepting, changed by a reload, ended by a stop.</summary>
/// <param name="stopNow">Cancelled when the stop of the server is out of time.</param>
internal sealed class EndpointSet(CancellationToken stopNow) : IDisposable
{
    private volatile IReadOnlyList<BoundEndpoint> _current = [];
    private ITransport? _transport;
    private ConnectionSet? _connections;
    private DescriptorReserve? _reserve;

    public IReadOnlyList<BoundEndpoint> Current => _current;

    /// <summary>The address of a socket that ends with this process, or null.</summary>
    public string? OwnAddress =>
        _current.FirstOrDefault(static endpoint => !endpoint.Listener.IsInherited)?.Address;

    /// <summary>Takes ownership of bound endpoints. They are closed with the set.</summary>
    public void Take(IReadOnlyList<BoundEndpoint> bound) => _current = bound;

    /// <summary>Starts accepting. No connection may use the descriptors of <paramref name="reserve"/>.</summary>
    public void Start(ITransport transport, ConnectionSet connections, DescriptorReserve? reserve)
    {
        (_transport, _connections, _reserve) = (transport, connections, reserve);
        foreach (BoundEndpoint endpoint in _current)
        {
            Start(endpoint);
        }
    }

    /// <summary>
    /// Listens only on <paramref name="added"/> and <paramref name="kept"/>. Never throws. The task completes when the
    /// others no longer accept; their connections end after their requests.
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

    /// <summary>Gives new terms to connections that are accepted from now on.</summary>
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
        // Idle connections end meanwhile, because connections that wait to be accepted may need their descriptors.
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
        }
        else
        {
            _connections!.Reject(connection, endpoint.Listener.LocalEndPoint);
        }
    }
}

/// <summary>A listener and the terms on which it accepts.</summary>
internal sealed class BoundEndpoint(EndpointListener listener, EndpointTerms terms)
{
    private volatile EndpointTerms _terms = terms;

    public EndpointListener Listener { get; } = listener;

    /// <summary>The terms for connections that are accepted from now on. A reload may replace them.</summary>
    public EndpointTerms Terms
    {
        get => _terms;
        set => _terms = value;
    }

    /// <summary>The bound address, which may differ from the requested one.</summary>
    public string Address => FastCgiAddress.Format(Listener.LocalEndPoint, Terms.Options.Protocol);

    /// <summary>True if the options ask for this socket: with the same endpoint, or its address if inherited.</summary>
    public bool Serves(FastCgiListenOptions wanted) => wanted.EndPoint is { } endPoint
        ? endPoint.Equals(Terms.Options.EndPoint)
            || (Listener.IsInherited && endPoint.Equals(Listener.LocalEndPoint))
        : wanted.FileHandle == Listener.InheritedHandle;
}
