namespace FastCgi.WebServerTests.Identity;

/// <summary>PEM whose lines go on behind a tab, in the variable that older configurations have.</summary>
public sealed class NginxTabbedCertificateTests : CertificateTests
{
    private protected override string[] RefusesStrangersBy => ["400"];

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        NginxCertificateTests.StartAsync(app, authority, "$ssl_client_cert");
}
