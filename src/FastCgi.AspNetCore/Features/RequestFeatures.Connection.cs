using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Features;

// The browser's connection and its TLS, as the params tell of them, and the FastCGI socket under the request. A web
// server sends many clients' requests over one socket, so nothing that is set or kept here outlives the request.
internal sealed partial class RequestFeatures : IHttpConnectionFeature, IConnectionItemsFeature,
    IConnectionEndPointFeature, IConnectionLifetimeFeature, IConnectionLifetimeNotificationFeature,
    IConnectionSocketFeature, IConnectionMetricsTagsFeature, IHttpMinRequestBodyDataRateFeature,
    IHttpMinResponseDataRateFeature, ITlsConnectionFeature, ITlsHandshakeFeature, IHttpUpgradeFeature
{
    private ConnectionOverrides? _connection;
    private bool _isCertificateRead;
    private X509Certificate2? _clientCertificate;
    private X509Certificate2? _ownCertificate;

    string IHttpConnectionFeature.ConnectionId
    {
        get => _connection is { ConnectionId.IsSet: true } own ? own.ConnectionId.Value : Control.ConnectionId;
        set => Connection.ConnectionId.Value = value;
    }

    IPAddress? IHttpConnectionFeature.RemoteIpAddress
    {
        get => _connection is { RemoteIpAddress.IsSet: true } own
            ? own.RemoteIpAddress.Value
            : _request.Read(ReadRemoteAddress, Control);
        set => Connection.RemoteIpAddress.Value = value;
    }

    IPAddress? IHttpConnectionFeature.LocalIpAddress
    {
        get => _connection is { LocalIpAddress.IsSet: true } own
            ? own.LocalIpAddress.Value
            : _request.Read(static cgi => cgi.LocalIpAddress);
        set => Connection.LocalIpAddress.Value = value;
    }

    int IHttpConnectionFeature.RemotePort
    {
        get => _connection is { RemotePort.IsSet: true } own
            ? own.RemotePort.Value
            : _request.Read(static cgi => cgi.RemotePort);
        set => Connection.RemotePort.Value = value;
    }

    int IHttpConnectionFeature.LocalPort
    {
        get => _connection is { LocalPort.IsSet: true } own
            ? own.LocalPort.Value
            : _request.Read(static cgi => cgi.LocalPort);
        set => Connection.LocalPort.Value = value;
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

    IDictionary<object, object?> IConnectionItemsFeature.Items
    {
        get => Connection.Items ??= new ConnectionItems();
        set => Connection.Items = value;
    }

    EndPoint? IConnectionEndPointFeature.LocalEndPoint
    {
        get => _connection?.LocalEndPoint ?? Control.SocketEndPoint;
        set => Connection.LocalEndPoint = value;
    }

    EndPoint? IConnectionEndPointFeature.RemoteEndPoint
    {
        get => _connection?.RemoteEndPoint ?? Control.PeerEndPoint;
        set => Connection.RemoteEndPoint = value;
    }

    CancellationToken IConnectionLifetimeFeature.ConnectionClosed
    {
        get => _connection?.Closed ?? Control.ConnectionClosed;
        set => Connection.Closed = value;
    }

    CancellationToken IConnectionLifetimeNotificationFeature.ConnectionClosedRequested
    {
        get => _connection?.ClosedRequested ?? Control.ConnectionClosedRequested;
        set => Connection.ClosedRequested = value;
    }

    MinDataRate? IHttpMinRequestBodyDataRateFeature.MinDataRate
    {
        get => _connection is { MinBodyDataRate.IsSet: true } own ? own.MinBodyDataRate.Value : Control.MinBodyDataRate;
        set => Connection.MinBodyDataRate.Value = value;
    }

    MinDataRate? IHttpMinResponseDataRateFeature.MinDataRate
    {
        get => _connection is { MinResponseDataRate.IsSet: true } own
            ? own.MinResponseDataRate.Value
            : Control.MinResponseDataRate;
        set => Connection.MinResponseDataRate.Value = value;
    }

    Socket IConnectionSocketFeature.Socket => Control.Socket;

    // After a look by Served: the metrics of a connection are decided once.
    ICollection<KeyValuePair<string, object?>> IConnectionMetricsTagsFeature.Tags => Control.ConnectionMetricsTags!;

    /// <summary>The rate that was set for this request, or else the server's limit. Any thread.</summary>
    internal MinDataRate? MinBodyDataRate(FastCgiServerLimits limits) =>
        _connection is { MinBodyDataRate.IsSet: true } own ? own.MinBodyDataRate.Value : limits.MinRequestBodyDataRate;

    /// <inheritdoc cref="MinBodyDataRate"/>
    internal MinDataRate? MinResponseDataRate(FastCgiServerLimits limits) =>
        _connection is { MinResponseDataRate.IsSet: true } own
            ? own.MinResponseDataRate.Value
            : limits.MinResponseDataRate;

    void IConnectionLifetimeFeature.Abort() => Control.AbortConnection();

    void IConnectionLifetimeNotificationFeature.RequestClose() => Control.RequestConnectionClose();

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

    // There where the endpoint allows an upgrade, also for a request that does not ask for it: its presence makes
    // SignalR and Blazor offer WebSockets, and they are asked by a request of its own (the negotiation).
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

    private ConnectionOverrides Connection
    {
        get
        {
            ThrowIfOver();
            return _connection ??= new ConnectionOverrides();
        }
    }

    /// <summary>The values that were set or kept for "the connection". Most requests have none.</summary>
    private sealed class ConnectionOverrides
    {
        public Override<string> ConnectionId;
        public Override<IPAddress?> RemoteIpAddress;
        public Override<IPAddress?> LocalIpAddress;
        public Override<int> RemotePort;
        public Override<int> LocalPort;
        public Override<MinDataRate?> MinBodyDataRate;
        public Override<MinDataRate?> MinResponseDataRate;

        public IDictionary<object, object?>? Items { get; set; }

        public EndPoint? LocalEndPoint { get; set; }

        public EndPoint? RemoteEndPoint { get; set; }

        public CancellationToken? Closed { get; set; }

        public CancellationToken? ClosedRequested { get; set; }
    }
}
