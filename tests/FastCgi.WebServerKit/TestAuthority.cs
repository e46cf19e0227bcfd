using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace FastCgi.WebServerKit;

/// <summary>
/// A certificate authority for one test, and what it has signed: the certificate of a site at 127.0.0.1, in files for a
/// web server, and those of clients.
/// </summary>
internal sealed class TestAuthority : IDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly X509Certificate2 _certificate;
    private readonly List<X509Certificate2> _issued = [];

    /// <param name="name">Two authorities of one name differ in their keys alone.</param>
    public TestAuthority(string name = "authority")
    {
        var request = new CertificateRequest($"CN={name}", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, true));
        var now = TimeProvider.System.GetUtcNow();
        _certificate = request.CreateSelfSigned(now.AddHours(-1), now.AddDays(1));

        var site = Issue("CN=site");
        using var key = site.GetECDsaPrivateKey()!;
        File.WriteAllText(CertificateFile, _certificate.ExportCertificatePem());
        File.WriteAllText(SiteKeyFile, key.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(SiteFile, $"{site.ExportCertificatePem()}\n{key.ExportPkcs8PrivateKeyPem()}\n");
    }

    /// <summary>What web servers call the CA file.</summary>
    public string CertificateFile => _directory.File("authority.pem");

    /// <summary>The site's certificate and its key.</summary>
    public string SiteFile => _directory.File("site.pem");

    public string SiteKeyFile => _directory.File("site.key");

    /// <summary>A certificate with its key, for both ends of TLS; disposed of with the authority.</summary>
    public X509Certificate2 Issue(string subject)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(subject, key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, true));
        using var signed = request.Create(
            _certificate, _certificate.NotBefore, _certificate.NotAfter, RandomNumberGenerator.GetBytes(8));
        var issued = signed.CopyWithPrivateKey(key);
        _issued.Add(issued);
        return issued;
    }

    /// <summary>The certificate was signed here and is in time.</summary>
    public bool Signed(X509Certificate2 certificate)
    {
        using var chain = new X509Chain { ChainPolicy = CreateChainPolicy() };
        return chain.Build(certificate);
    }

    /// <summary>A client that trusts the site, and presents this certificate whatever authorities the site asks for.</summary>
    public HttpClient CreateClient(IPEndPoint server, X509Certificate2? certificate)
    {
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, UseProxy = false };
        handler.SslOptions.CertificateChainPolicy = CreateChainPolicy();
        if (certificate is not null)
        {
            handler.SslOptions.ClientCertificateContext =
                SslStreamCertificateContext.Create(certificate, additionalCertificates: null, offline: true);
        }

        // Asked for by a name, since Caddy has no site for an address.
        handler.ConnectCallback = (_, token) => TestDialer.ConnectAsync(server, token);
        return new HttpClient(handler)
        {
            BaseAddress = new Uri($"https://localhost:{server.Port}/"),
            Timeout = Deadline.Of(TimeSpan.FromMinutes(1)),
        };
    }

    public void Dispose()
    {
        _issued.ForEach(static certificate => certificate.Dispose());
        _certificate.Dispose();
        _key.Dispose();
        _directory.Dispose();
    }

    private X509ChainPolicy CreateChainPolicy() => new()
    {
        TrustMode = X509ChainTrustMode.CustomRootTrust,
        CustomTrustStore = { _certificate },
        RevocationMode = X509RevocationMode.NoCheck,
    };
}
