using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Epoll;
using FastCgi.AspNetCore.Transport.Sockets;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The endpoint of the status page, with a transport that no application can hold.</summary>
internal sealed class StatusEndpoint : IDisposable
{
    private readonly IReadOnlyList<BoundEndpoint> _endpoints;
    private readonly ITransport _transport;
    private readonly ConnectionSet _connections;

    public StatusEndpoint(IReadOnlyList<BoundEndpoint> endpoints, ServerContext server, ILogger transportLog)
    {
        _endpoints = endpoints;
        _transport = OperatingSystem.IsLinux()
            ? new EpollTransport(transportLog, workerCount: 1)
            : new SocketsTransport(transportLog);
        _connections = new ConnectionSet(server, new PageRunner());
    }

    public IEnumerable<string> Addresses => _endpoints.Select(static endpoint => endpoint.Address);

    public void Start()
    {
        foreach (BoundEndpoint endpoint in _endpoints)
        {
            endpoint.Listener.Start(_transport, connection => Accept(endpoint, connection));
        }
    }

    /// <summary>Closes everything without waiting: no page is worth it.</summary>
    public void Dispose()
    {
        foreach (BoundEndpoint endpoint in _endpoints)
        {
            endpoint.Listener.Dispose();
        }

        _connections.CloseForStop();
        _connections.AbortAll();
        _connections.Dispose();
        _transport.Dispose();
    }

    private void Accept(BoundEndpoint endpoint, TransportConnection connection)
    {
        if (endpoint.Terms.Admits(connection))
        {
            _connections.OnAccepted(connection, endpoint.Terms.Options);
        }
        else
        {
            connection.Close();
        }
    }
}
