using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Features;

// The browser's connection, as the params tell of it; only the id is the FastCGI socket's.
internal sealed partial class RequestFeatures : IHttpConnectionFeature, IConnectionItemsFeature,
    IConnectionEndPointFeature, IConnectionLifetimeFeature, IConnectionLifetimeNotificationFeature,
    IConnectionSocketFeature, IConnectionMetricsTagsFeature, IHttpMinRequestBodyDataRateFeature,
    IHttpMinResponseDataRateFeature, ITlsConnectionFeature, ITlsHandshakeFeature, IHttpUpgradeFeature
{
    private ConnectionOverrides? _connection;

    private SocketOverrides? _socket;

    private bool _isCertificateRead;
    private X509Certificate2? _clientCertificate;
    private X509Certificate2? _ownCertificate;

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

    private bool HasTls => _request.Read(static cgi => cgi.IsHttps);

    private bool HasTlsHandshake =>
        _request.Read(static cgi => cgi.IsHttps && cgi.TlsProtocol != SslProtocols.None);

    X509Certificate2? ITlsConnectionFeature.ClientCertificate
    {
        get
        {
            if (!_isCertificateRead)
            {
                (_clientCertificate, var isDamaged) = _request.Read(
                    static cgi => (cgi.ReadClientCertificate(out var isDamaged), isDamaged));
                _ownCertificate = _clientCertificate;
                _isCertificateRead = true;
                if (isDamaged)
                {
                    Control.OnClientCertificateDamaged();
                }
            }

            return _clientCertificate;
        }
        set
        {
            ThrowIfOver();
            _isCertificateRead = true;
            _clientCertificate = value;
        }
    }

    SslProtocols ITlsHandshakeFeature.Protocol => _request.Read(static cgi => cgi.TlsProtocol);

    TlsCipherSuite? ITlsHandshakeFeature.NegotiatedCipherSuite =>
        _request.Read(static cgi => cgi.TlsCipherSuite);

    string ITlsHandshakeFeature.HostName =>
        _request.Read(static cgi => cgi.Params.GetServerVariable("SSL_TLS_SNI")) ?? string.Empty;

#pragma warning disable SYSLIB0058 // Obsolete, but members of the interface. No param tells of them.
    CipherAlgorithmType ITlsHandshakeFeature.CipherAlgorithm => CipherAlgorithmType.None;

    int ITlsHandshakeFeature.CipherStrength => 0;

    HashAlgorithmType ITlsHandshakeFeature.HashAlgorithm => HashAlgorithmType.None;

    int ITlsHandshakeFeature.HashStrength => 0;

    ExchangeAlgorithmType ITlsHandshakeFeature.KeyExchangeAlgorithm => ExchangeAlgorithmType.None;

    int ITlsHandshakeFeature.KeyExchangeStrength => 0;
#pragma warning restore SYSLIB0058

    Task<X509Certificate2?> ITlsConnectionFeature.GetClientCertificateAsync(CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<X509Certificate2?>(cancellationToken)
            : Task.FromResult(((ITlsConnectionFeature)this).ClientCertificate);

    bool IHttpUpgradeFeature.IsUpgradableRequest => Control.IsUpgradable;

    Task<Stream> IHttpUpgradeFeature.UpgradeAsync() => Control.UpgradeAsync();

    /// <summary>The head of an upgrade, and nothing of what comes is counted against the limit of a body.</summary>
    internal void Upgrade()
    {
        StatusCode = StatusCodes.Status101SwitchingProtocols;
        _responseHeaders.Connection = "Upgrade";
        MaxRequestBodySize = null;
        _isUpgraded = true;
    }
}
