using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Features;

// The FastCGI socket under the request. A web server sends many clients' requests over one socket, so nothing that
// is set or kept here outlives the request.
internal sealed partial class RequestFeatures : IConnectionItemsFeature, IConnectionEndPointFeature,
    IConnectionLifetimeFeature, IConnectionLifetimeNotificationFeature, IConnectionSocketFeature,
    IConnectionMetricsTagsFeature, IHttpMinRequestBodyDataRateFeature, IHttpMinResponseDataRateFeature
{
    private SocketOverrides? _socket;

    IDictionary<object, object?> IConnectionItemsFeature.Items
    {
        get => OfSocket().Items ??= new ConnectionItems();
        set => OfSocket().Items = value;
    }

    EndPoint? IConnectionEndPointFeature.LocalEndPoint
    {
        get => _socket?.LocalEndPoint ?? Control.SocketEndPoint;
        set => OfSocket().LocalEndPoint = value;
    }

    EndPoint? IConnectionEndPointFeature.RemoteEndPoint
    {
        get => _socket?.RemoteEndPoint ?? Control.PeerEndPoint;
        set => OfSocket().RemoteEndPoint = value;
    }

    CancellationToken IConnectionLifetimeFeature.ConnectionClosed
    {
        get => _socket?.Closed ?? Control.ConnectionClosed;
        set => OfSocket().Closed = value;
    }

    CancellationToken IConnectionLifetimeNotificationFeature.ConnectionClosedRequested
    {
        get => _socket?.ClosedRequested ?? Control.ConnectionClosedRequested;
        set => OfSocket().ClosedRequested = value;
    }

    MinDataRate? IHttpMinRequestBodyDataRateFeature.MinDataRate
    {
        get => _socket is { HasMinBodyDataRate: true } ? _socket.MinBodyDataRate : Control.MinBodyDataRate;
        set
        {
            SocketOverrides socket = OfSocket();
            socket.MinBodyDataRate = value;
            socket.HasMinBodyDataRate = true;
        }
    }

    MinDataRate? IHttpMinResponseDataRateFeature.MinDataRate
    {
        get => _socket is { HasMinResponseDataRate: true } ? _socket.MinResponseDataRate : Control.MinResponseDataRate;
        set
        {
            SocketOverrides socket = OfSocket();
            socket.MinResponseDataRate = value;
            socket.HasMinResponseDataRate = true;
        }
    }

    Socket IConnectionSocketFeature.Socket => Control.Socket;

    // After a look by Served: the metrics of a connection are decided once.
    ICollection<KeyValuePair<string, object?>> IConnectionMetricsTagsFeature.Tags => Control.ConnectionMetricsTags!;

    /// <summary>The rate that was set for this request, or else the server's limit. Any thread.</summary>
    internal MinDataRate? MinBodyDataRate(FastCgiServerLimits limits) =>
        _socket is { HasMinBodyDataRate: true } socket ? socket.MinBodyDataRate : limits.MinRequestBodyDataRate;

    /// <inheritdoc cref="MinBodyDataRate"/>
    internal MinDataRate? MinResponseDataRate(FastCgiServerLimits limits) =>
        _socket is { HasMinResponseDataRate: true } socket ? socket.MinResponseDataRate : limits.MinResponseDataRate;

    void IConnectionLifetimeFeature.Abort() => Control.AbortConnection();

    void IConnectionLifetimeNotificationFeature.RequestClose() => Control.RequestConnectionClose();

    private SocketOverrides OfSocket()
    {
        ThrowIfOver();
        return _socket ??= new SocketOverrides();
    }

    /// <summary>The values that were set or kept for "the connection". Most requests have none.</summary>
    private sealed class SocketOverrides
    {
        public IDictionary<object, object?>? Items { get; set; }

        public EndPoint? LocalEndPoint { get; set; }

        public EndPoint? RemoteEndPoint { get; set; }

        public CancellationToken? Closed { get; set; }

        public CancellationToken? ClosedRequested { get; set; }

        /// <summary>Null may be set too.</summary>
        public bool HasMinBodyDataRate { get; set; }

        public MinDataRate? MinBodyDataRate { get; set; }

        /// <inheritdoc cref="HasMinBodyDataRate"/>
        public bool HasMinResponseDataRate { get; set; }

        public MinDataRate? MinResponseDataRate { get; set; }
    }
}
