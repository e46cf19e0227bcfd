namespace FastCgi.WebServerTests.Identity;

/// <summary>PEM, and SSL_CLIENT_VERIFY unasked.</summary>
public sealed class ApacheCertificateTests : CertificateTests
{
    private static readonly string[] _modules = ["authz_core", "socache_shmcb", "ssl", "proxy", "proxy_fcgi"];

    [Fact]
    public Task With_optional_no_ca_the_application_refuses_what_Apache_lets_through() => AssertApplicationRefusesAsync(
        static (app, authority) => StartAsync(app, authority, "SSLVerifyClient optional_no_ca"),
        "FAILED:");

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        StartAsync(app, authority, "SSLVerifyClient optional");

    private static Task<WebServer> StartAsync(ServedApp app, TestAuthority authority, string verify) =>
        ApacheServer.StartAsync(
            _modules,
            IdentityPage.Certificates("apache")
                .WithSocket(app)
                .With("/etc/apache2/site.pem", authority.SiteFile)
                .With("/etc/apache2/site.key", authority.SiteKeyFile)
                .With("/etc/apache2/clients-ca.pem", authority.CertificateFile)
                .With("SSLVerifyClient optional", verify));
}
