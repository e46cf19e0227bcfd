using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.AspNetCore.Features;

// The FastCGI socket under the request. A web server sends many clients' requests over one socket, so nothing that
// is set or kept here outlives the request.
internal partial class RequestFeatures : IConnectionItemsFeature, IConnectionEndPointFeature,
    IConnectionLifetimeFeature, IConnectionLifetimeNotificationFeature
{
    private IDictionary<object, object?>? _connectionItems;
    private EndPoint? _localEndPoint;
    private EndPoint? _remoteEndPoint;
    private CancellationToken? _connectionClosed;
    private CancellationToken? _connectionClosedRequested;

    IDictionary<object, object?> IConnectionItemsFeature.Items
    {
        get
        {
            ThrowIfOver();
            return _connectionItems ??= new ConnectionItems();
        }
        set
        {
            ThrowIfOver();
            _connectionItems = value;
        }
    }

    EndPoint? IConnectionEndPointFeature.LocalEndPoint
    {
        get => _localEndPoint ?? Control.SocketEndPoint;
        set
        {
            ThrowIfOver();
            _localEndPoint = value;
        }
    }

    EndPoint? IConnectionEndPointFeature.RemoteEndPoint
    {
        get => _remoteEndPoint ?? Control.PeerEndPoint;
        set
        {
            ThrowIfOver();
            _remoteEndPoint = value;
        }
    }

    CancellationToken IConnectionLifetimeFeature.ConnectionClosed
    {
        get => _connectionClosed ?? Control.ConnectionClosed;
        set
        {
            ThrowIfOver();
            _connectionClosed = value;
        }
    }

    CancellationToken IConnectionLifetimeNotificationFeature.ConnectionClosedRequested
    {
        get => _connectionClosedRequested ?? Control.ConnectionClosedRequested;
        set
        {
            ThrowIfOver();
            _connectionClosedRequested = value;
        }
    }

    void IConnectionLifetimeFeature.Abort() => Control.AbortConnection();

    void IConnectionLifetimeNotificationFeature.RequestClose() => Control.RequestConnectionClose();

    private void ResetSocket()
    {
        _connectionItems = null;
        _localEndPoint = null;
        _remoteEndPoint = null;
        _connectionClosed = null;
        _connectionClosedRequested = null;
    }
}
