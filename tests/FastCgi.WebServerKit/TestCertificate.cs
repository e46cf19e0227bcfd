using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace FastCgi.WebServerKit;

/// <summary>A certificate for one run, which only our own client trusts.</summary>
internal static class TestCertificate
{
    private static readonly WorkDirectory _directory = new();

    static TestCertificate()
    {
        AppDomain.CurrentDomain.ProcessExit += (_, _) => _directory.Dispose();
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var now = TimeProvider.System.GetUtcNow();
        using var certificate = request.CreateSelfSigned(now.AddHours(-1), now.AddDays(1));
        Thumbprint = certificate.GetCertHashString();
        File.WriteAllText(_directory.File("certificate.pem"), certificate.ExportCertificatePem());
        File.WriteAllText(_directory.File("key.pem"), key.ExportPkcs8PrivateKeyPem());
    }

    public static string Thumbprint { get; }

    public static string NginxLines =>
        $"ssl_certificate {_directory.File("certificate.pem")}; ssl_certificate_key {_directory.File("key.pem")};";
}
