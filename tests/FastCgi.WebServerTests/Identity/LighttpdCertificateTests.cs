namespace FastCgi.WebServerTests.Identity;

/// <summary>PEM, and SSL_CLIENT_VERIFY unasked.</summary>
public sealed class LighttpdCertificateTests : CertificateTests
{
    /// <summary>It serves the request, and exports nothing.</summary>
    private protected override string[] RefusesStrangersBy => ["none"];

    private protected override bool RefusesAliases => true;

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        LighttpdServer.StartAsync(IdentityPage.Certificates("lighttpd")
            .WithSocket(app)
            .With("/etc/lighttpd/site.pem", authority.SiteFile)
            .With("/etc/lighttpd/site.key", authority.SiteKeyFile)
            .With("/etc/lighttpd/clients-ca.pem", authority.CertificateFile));
}
