using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Requests;

// The browser's connection and its TLS, according to the params, and the FastCGI socket of the request. Many clients
// share one socket of a web server, so nothing that is set or stored here outlives the request.
internal sealed partial class RequestFeatures : IHttpConnectionFeature, IConnectionItemsFeature,
    IConnectionEndPointFeature, IConnectionLifetimeFeature, IConnectionLifetimeNotificationFeature,
    IConnectionSocketFeature, IConnectionMetricsTagsFeature, IHttpMinRequestBodyDataRateFeature,
    IHttpMinResponseDataRateFeature, ITlsConnectionFeature, ITlsHandshakeFeature, IHttpUpgradeFeature
{
    private ConnectionOverrides? _ownConnection;
    private bool _isCertificateRead;
    private X509Certificate2? _clientCertificate;
    private X509Certificate2? _ownCertificate;

    string IHttpConnectionFeature.ConnectionId
    {
        get => _ownConnection is { ConnectionId.IsSet: true } own ? own.ConnectionId.Value : Connection.Id;
        set => OwnConnection.ConnectionId.Value = value;
    }

    IPAddress? IHttpConnectionFeature.RemoteIpAddress
    {
        get => _ownConnection is { RemoteIpAddress.IsSet: true } own
            ? own.RemoteIpAddress.Value
            : _cgi.Read(static (cgi, features) => features.ReadRemoteAddress(cgi), this);
        set => OwnConnection.RemoteIpAddress.Value = value;
    }

    IPAddress? IHttpConnectionFeature.LocalIpAddress
    {
        get => _ownConnection is { LocalIpAddress.IsSet: true } own
            ? own.LocalIpAddress.Value
            : _cgi.Read(static cgi => cgi.LocalIpAddress);
        set => OwnConnection.LocalIpAddress.Value = value;
    }

    int IHttpConnectionFeature.RemotePort
    {
        get => _ownConnection?.RemotePort ?? _cgi.Read(static cgi => cgi.RemotePort);
        set => OwnConnection.RemotePort = value;
    }

    int IHttpConnectionFeature.LocalPort
    {
        get => _ownConnection?.LocalPort ?? _cgi.Read(static cgi => cgi.LocalPort);
        set => OwnConnection.LocalPort = value;
    }

    private IPAddress? ReadRemoteAddress(CgiRequest cgi)
    {
        var address = cgi.RemoteIpAddress;
        if (address is null && cgi.HasUnreadableRemoteAddress
            && Request.Server.TryWarnOnce(ServerWarning.RemoteAddressUnreadable))
        {
            string text = RejectedValue.Escape(cgi.Params.GetBytes(KnownParam.RemoteAddr));
            RequestLog.RemoteAddressUnreadable(_request.Server.RequestLog, _connection.Id, TraceIdentifier, text);
        }

        return address;
    }

    IDictionary<object, object?> IConnectionItemsFeature.Items
    {
        get => OwnConnection.Items ??= new ConnectionItems();
        set => OwnConnection.Items = value;
    }

    EndPoint? IConnectionEndPointFeature.LocalEndPoint
    {
        get => _ownConnection?.LocalEndPoint ?? Connection.LocalEndPoint;
        set => OwnConnection.LocalEndPoint = value;
    }

    EndPoint? IConnectionEndPointFeature.RemoteEndPoint
    {
        get => _ownConnection?.RemoteEndPoint ?? Connection.RemoteEndPoint;
        set => OwnConnection.RemoteEndPoint = value;
    }

    CancellationToken IConnectionLifetimeFeature.ConnectionClosed
    {
        get => _ownConnection?.Closed ?? Connection.Closed;
        set => OwnConnection.Closed = value;
    }

    CancellationToken IConnectionLifetimeNotificationFeature.ConnectionClosedRequested
    {
        get => _ownConnection?.ClosedRequested ?? Connection.CloseRequested;
        set => OwnConnection.ClosedRequested = value;
    }

    MinDataRate? IHttpMinRequestBodyDataRateFeature.MinDataRate
    {
        get => Living(MinBodyDataRate);
        set => OwnConnection.MinBodyDataRate.Value = value;
    }

    MinDataRate? IHttpMinResponseDataRateFeature.MinDataRate
    {
        get => Living(MinResponseDataRate);
        set => OwnConnection.MinResponseDataRate.Value = value;
    }

    Socket IConnectionSocketFeature.Socket => Connection.Socket;

    // Served checks this first. The metrics of a connection are decided once.
    ICollection<KeyValuePair<string, object?>> IConnectionMetricsTagsFeature.Tags => Connection.MetricsTags!;

    /// <summary>The rate of this request if set, otherwise the server's limit. Any thread.</summary>
    internal MinDataRate? MinBodyDataRate => _ownConnection is { MinBodyDataRate.IsSet: true } own
        ? own.MinBodyDataRate.Value
        : _request.Server.Limits.MinRequestBodyDataRate;

    /// <inheritdoc cref="MinBodyDataRate"/>
    internal MinDataRate? MinResponseDataRate => _ownConnection is { MinResponseDataRate.IsSet: true } own
        ? own.MinResponseDataRate.Value
        : _request.Server.Limits.MinResponseDataRate;

    void IConnectionLifetimeFeature.Abort() => Connection.Abort("the application closed the connection");

    void IConnectionLifetimeNotificationFeature.RequestClose() => Connection.RequestClose();

    private bool HasTls => _cgi.Read(static cgi => cgi.IsHttps);

    private bool HasTlsHandshake =>
        _cgi.Read(static cgi => cgi.IsHttps && cgi.TlsProtocol != SslProtocols.None);

    X509Certificate2? ITlsConnectionFeature.ClientCertificate
    {
        get
        {
            if (!_isCertificateRead)
            {
                (_clientCertificate, var isDamaged) = _cgi.Read(
                    static cgi => (cgi.ReadClientCertificate(out var isDamaged), isDamaged));
                _ownCertificate = _clientCertificate;
                _isCertificateRead = true;
                if (isDamaged)
                {
                    RequestLog.ClientCertificateDamaged(
                        Request.Server.RequestLog,
                        _connection.Id,
                        TraceIdentifier,
                        _request.Server.Options.ClientCertificateParameter);
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

    SslProtocols ITlsHandshakeFeature.Protocol => _cgi.Read(static cgi => cgi.TlsProtocol);

    TlsCipherSuite? ITlsHandshakeFeature.NegotiatedCipherSuite =>
        _cgi.Read(static cgi => cgi.TlsCipherSuite);

    string ITlsHandshakeFeature.HostName =>
        _cgi.Read(static cgi => cgi.Params.GetServerVariable("SSL_TLS_SNI")) ?? string.Empty;

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

    // Present if the endpoint allows upgrades, even for a request that does not ask for one: the presence makes SignalR
    // and Blazor offer WebSockets, which they decide in a separate request (the negotiation).
    bool IHttpUpgradeFeature.IsUpgradableRequest => Living(_isUpgradable);

    private bool AllowsUpgrade => _connection.Endpoint.AllowUpgrade && _role == FastCgiRole.Responder;

    Task<Stream> IHttpUpgradeFeature.UpgradeAsync()
    {
        FastCgiRequest request = Request;
        if (!_isUpgradable)
        {
            return Task.FromException<Stream>(new InvalidOperationException(
                "The connection cannot be upgraded: the request does not ask for it, or its endpoint does not " +
                "allow it (SCGI endpoints do, FastCGI endpoints with AllowUpgrade)."));
        }

        AskedUpgrade ??= new ConnectionUpgrade(request, this, Response);
        return AskedUpgrade.RunAsync();
    }

    /// <summary>The upgrade that the application has asked for, or null.</summary>
    internal ConnectionUpgrade? AskedUpgrade { get; private set; }

    /// <summary>Sets the head of an upgrade. The stream does not count for the limit of a body.</summary>
    internal void Upgrade()
    {
        StatusCode = StatusCodes.Status101SwitchingProtocols;
        ResponseHeaders.Connection = "Upgrade";
        MaxRequestBodySize = null;
    }

    private ConnectionOverrides OwnConnection => Living(_ownConnection ??= new ConnectionOverrides());

    /// <summary>Values that were set or stored for "the connection". Most requests have none.</summary>
    private sealed class ConnectionOverrides
    {
        public Override<string> ConnectionId;
        public Override<IPAddress?> RemoteIpAddress;
        public Override<IPAddress?> LocalIpAddress;
        public Override<MinDataRate?> MinBodyDataRate;
        public Override<MinDataRate?> MinResponseDataRate;

        public int? RemotePort { get; set; }

        public int? LocalPort { get; set; }

        public IDictionary<object, object?>? Items { get; set; }

        public EndPoint? LocalEndPoint { get; set; }

        public EndPoint? RemoteEndPoint { get; set; }

        public CancellationToken? Closed { get; set; }

        public CancellationToken? ClosedRequested { get; set; }
    }
}
