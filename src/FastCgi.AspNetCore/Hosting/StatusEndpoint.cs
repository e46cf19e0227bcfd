using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Epoll;
using FastCgi.AspNetCore.Transport.Sockets;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The endpoint of the status page, with a transport that applications cannot block.</summary>
internal sealed class StatusEndpoint(ServerContext server, ILogger transportLog) : IDisposable
{
    private readonly ConnectionSet _connections = new(server, new PageRunner());
    private readonly ITransport _transport = OperatingSystem.IsLinux()
        ? new EpollTransport(transportLog, workerCount: 1)
        : new SocketsTransport(transportLog);

    public void Start(EndpointSet endpoints, DescriptorReserve? reserve) =>
        endpoints.Start(_transport, _connections, reserve);

    /// <summary>Closes everything without waiting for running pages.</summary>
    public void Dispose()
    {
        _connections.CloseForStop();
        _connections.AbortAll();
        _connections.Dispose();
        _transport.Dispose();
    }
}
