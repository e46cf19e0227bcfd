using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace FastCgi.AspNetCore.Tests.Cgi;

public class CgiTlsTests
{
    private static readonly FastCgiServerOptions _options = new() { ClientCertificateParameter = "SSL_CLIENT_CERT" };

    [Fact]
    public void A_certificate_is_read_in_every_spelling_of_the_web_servers()
    {
        using var certificate = CreateCertificate();
        var pem = certificate.ExportCertificatePem();
        foreach (var text in new[]
        {
            pem,
            pem + "\n",
            pem.ReplaceLineEndings("\r\n"),
            pem.ReplaceLineEndings("\n\t"),
            pem.ReplaceLineEndings(" "),
            Uri.EscapeDataString(pem + "\n"),
            Uri.EscapeDataString(pem).Replace("%2B", "+", StringComparison.Ordinal),
            Convert.ToBase64String(certificate.RawData),
            pem + "\n" + pem,
        })
        {
            using var read = Read(text);

            Assert.Equal(certificate.Thumbprint, read?.Thumbprint);
        }
    }

    public static TheoryData<string> NoCertificates =>
    [
        "", "(null)", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE----------END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----AAAA-----END CERTIFICATE-----", "AAAA", "%", "%2", "%zz%41", "\u00FF\0",
    ];

    [Theory, MemberData(nameof(NoCertificates))]
    public void What_is_no_certificate_is_none(string text) => Assert.Null(Read(text));

    [Fact]
    public void A_certificate_is_read_only_from_the_param_that_was_named()
    {
        using var certificate = CreateCertificate();

        Assert.Null(ParamSet.With(("SSL_CLIENT_CERT", certificate.ExportCertificatePem())).ReadClientCertificate(out _));
        var other = new FastCgiServerOptions { ClientCertificateParameter = "MY_CERT" };
        using var read = ParamSet.Load(
            other, [.. ParamSet.Minimal, ("MY_CERT", certificate.ExportCertificatePem())]).ReadClientCertificate(out _);
        Assert.Equal(certificate.Thumbprint, read?.Thumbprint);
    }

    [Theory]
    [InlineData("TLSv1.3", "TLS_AES_256_GCM_SHA384", SslProtocols.Tls13, TlsCipherSuite.TLS_AES_256_GCM_SHA384)]
    [InlineData("TLSv1.2", "ECDHE-RSA-AES256-GCM-SHA384", SslProtocols.Tls12, null)]
    [InlineData("tls1.3", "TLS_UNHEARD_OF", SslProtocols.Tls13, null)]
    [InlineData("SSLv2", "", SslProtocols.None, null)]
    [InlineData("", "", SslProtocols.None, null)]
    public void Protocol_and_cipher_are_told(
        string protocol, string cipher, SslProtocols expected, TlsCipherSuite? suite)
    {
        var tls = ParamSet.With(("SSL_PROTOCOL", protocol), ("SSL_CIPHER", cipher));

        Assert.Equal((expected, suite), (tls.TlsProtocol, tls.TlsCipherSuite));
        Assert.Equal((protocol, cipher), (tls.Params.GetString(KnownParam.SslProtocol) ?? "", tls.TlsCipherText ?? ""));
    }

    private static X509Certificate2? Read(string text)
    {
        var request = ParamSet.Load(_options, [.. ParamSet.Minimal, ("SSL_CLIENT_CERT", text)]);
        return request.ReadClientCertificate(out _);
    }

    internal static X509Certificate2 CreateCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=client", key, HashAlgorithmName.SHA256);
        var now = DateTimeOffset.UnixEpoch.AddYears(50);
        return request.CreateSelfSigned(now, now.AddYears(100));
    }
}
