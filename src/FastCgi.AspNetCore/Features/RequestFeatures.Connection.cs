using System.Net;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The browser's connection, as the params tell of it; only the id is the FastCGI socket's.
internal sealed partial class RequestFeatures : IHttpConnectionFeature
{
    private ConnectionOverrides? _connection;

    string IHttpConnectionFeature.ConnectionId
    {
        get => IsSet(ConnectionParts.ConnectionId) ? _connection!.Id! : Control.ConnectionId;
        set => Override(ConnectionParts.ConnectionId).Id = value;
    }

    IPAddress? IHttpConnectionFeature.RemoteIpAddress
    {
        get => IsSet(ConnectionParts.RemoteIpAddress)
            ? _connection!.RemoteIpAddress
            : _request.Read(ReadRemoteAddress, Control);
        set => Override(ConnectionParts.RemoteIpAddress).RemoteIpAddress = value;
    }

    IPAddress? IHttpConnectionFeature.LocalIpAddress
    {
        get => IsSet(ConnectionParts.LocalIpAddress)
            ? _connection!.LocalIpAddress
            : _request.Read(static cgi => cgi.LocalIpAddress);
        set => Override(ConnectionParts.LocalIpAddress).LocalIpAddress = value;
    }

    int IHttpConnectionFeature.RemotePort
    {
        get => IsSet(ConnectionParts.RemotePort)
            ? _connection!.RemotePort
            : _request.Read(static cgi => cgi.RemotePort);
        set => Override(ConnectionParts.RemotePort).RemotePort = value;
    }

    int IHttpConnectionFeature.LocalPort
    {
        get => IsSet(ConnectionParts.LocalPort)
            ? _connection!.LocalPort
            : _request.Read(static cgi => cgi.LocalPort);
        set => Override(ConnectionParts.LocalPort).LocalPort = value;
    }

    private static IPAddress? ReadRemoteAddress(CgiRequest cgi, IRequestControl control)
    {
        var address = cgi.RemoteIpAddress;
        if (address is null && cgi.HasUnreadableRemoteAddress)
        {
            control.OnRemoteAddressUnreadable(cgi.Params.GetBytes(KnownParam.RemoteAddr));
        }

        return address;
    }

    private bool IsSet(ConnectionParts part) => _connection is not null && (_connection.Parts & part) != 0;

    private ConnectionOverrides Override(ConnectionParts part)
    {
        ThrowIfOver();
        _connection ??= new ConnectionOverrides();
        _connection.Parts |= part;
        return _connection;
    }

    /// <summary>Which request were set, since null may be set too.</summary>
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

    /// <summary>The values that middleware has set. Most requests have none.</summary>
    private sealed class ConnectionOverrides
    {
        public ConnectionParts Parts { get; set; }

        public string? Id { get; set; }

        public IPAddress? RemoteIpAddress { get; set; }

        public IPAddress? LocalIpAddress { get; set; }

        public int RemotePort { get; set; }

        public int LocalPort { get; set; }
    }
}
