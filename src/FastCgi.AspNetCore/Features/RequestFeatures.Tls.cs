using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// TLS between browser and web server, as far as the params tell of it.
internal sealed partial class RequestFeatures : ITlsConnectionFeature, ITlsHandshakeFeature
{
    private bool _isCertificateRead;
    private X509Certificate2? _clientCertificate;
    private X509Certificate2? _ownCertificate;

    private bool HasTls => _request.Read(static cgi => cgi.IsHttps);

    private bool HasTlsHandshake =>
        _request.Read(static cgi => cgi.IsHttps && cgi.Tls.Protocol != SslProtocols.None);

    X509Certificate2? ITlsConnectionFeature.ClientCertificate
    {
        get
        {
            if (!_isCertificateRead)
            {
                (_clientCertificate, var isDamaged) = _request.Read(
                    static cgi => (cgi.Tls.ReadClientCertificate(out var isDamaged), isDamaged));
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

    SslProtocols ITlsHandshakeFeature.Protocol => _request.Read(static cgi => cgi.Tls.Protocol);

    TlsCipherSuite? ITlsHandshakeFeature.NegotiatedCipherSuite =>
        _request.Read(static cgi => cgi.Tls.CipherSuite);

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
}
