using System.Net;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The browser's connection, as the params tell of it; only the id is the FastCGI socket's.
internal partial class RequestFeatures : IHttpConnectionFeature
{
    private ConnectionParts _setConnectionParts;
    private string? _connectionId;
    private IPAddress? _remoteIpAddress;
    private IPAddress? _localIpAddress;
    private int _remotePort;
    private int _localPort;

    /// <summary>Which parts were set, since null may be set too.</summary>
    [Flags]
    private enum ConnectionParts
    {
        None = 0,
        ConnectionId = 1,
        RemoteIpAddress = 1 << 1,
        LocalIpAddress = 1 << 2,
        RemotePort = 1 << 3,
        LocalPort = 1 << 4,
    }

    string IHttpConnectionFeature.ConnectionId
    {
        get => IsSet(ConnectionParts.ConnectionId) ? _connectionId! : Control.ConnectionId;
        set => Set(ConnectionParts.ConnectionId, ref _connectionId, value);
    }

    IPAddress? IHttpConnectionFeature.RemoteIpAddress
    {
        get => IsSet(ConnectionParts.RemoteIpAddress) ? _remoteIpAddress : Cgi.RemoteIpAddress;
        set => Set(ConnectionParts.RemoteIpAddress, ref _remoteIpAddress, value);
    }

    IPAddress? IHttpConnectionFeature.LocalIpAddress
    {
        get => IsSet(ConnectionParts.LocalIpAddress) ? _localIpAddress : Cgi.LocalIpAddress;
        set => Set(ConnectionParts.LocalIpAddress, ref _localIpAddress, value);
    }

    int IHttpConnectionFeature.RemotePort
    {
        get => IsSet(ConnectionParts.RemotePort) ? _remotePort : Cgi.RemotePort;
        set => Set(ConnectionParts.RemotePort, ref _remotePort, value);
    }

    int IHttpConnectionFeature.LocalPort
    {
        get => IsSet(ConnectionParts.LocalPort) ? _localPort : Cgi.LocalPort;
        set => Set(ConnectionParts.LocalPort, ref _localPort, value);
    }

    private bool IsSet(ConnectionParts part) => (_setConnectionParts & part) != 0;

    private void Set<T>(ConnectionParts part, ref T field, T value)
    {
        ThrowIfOver();
        field = value;
        _setConnectionParts |= part;
    }

    private void ResetConnection()
    {
        if (_setConnectionParts == ConnectionParts.None)
        {
            return;
        }

        _setConnectionParts = ConnectionParts.None;
        _connectionId = null;
        _remoteIpAddress = null;
        _localIpAddress = null;
        _remotePort = 0;
        _localPort = 0;
    }
}
