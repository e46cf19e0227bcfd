using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace FastCgi.TestKit;

/// <summary>A transport that an application brings: Kestrel's sockets, for endpoints that only this factory takes.</summary>
public sealed class OtherTransport : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    private readonly SocketTransportFactory _sockets =
        new(Options.Create(new SocketTransportOptions()), NullLoggerFactory.Instance);

    public bool CanBind(EndPoint endpoint) => endpoint is OtherEndPoint;

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        _sockets.BindAsync(((OtherEndPoint)endpoint).Socket, cancellationToken);
}

/// <summary>An endpoint that the server cannot bind itself.</summary>
public sealed class OtherEndPoint(string path) : EndPoint
{
    public EndPoint Socket { get; } = new UnixDomainSocketEndPoint(path);

    public override string ToString() => $"unix:{path}";
}
