namespace FastCgi.WebServerTests.Identity;

/// <summary>PEM.</summary>
public sealed class CaddyCertificateTests : CertificateTests
{
    /// <summary>It has no param for that: what it does not trust does not get through.</summary>
    private protected override string Verified => "";

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        WebServer.StartAsync(new CaddyServer(), endPoint => $$"""
            https://localhost:{{endPoint.Port}} {
            bind {{endPoint.Address}}
            {{IdentityPage.Certificates("caddyfile")
                .WithSocket(app)
                .With("/etc/caddy/site.pem", authority.SiteFile)
                .With("/etc/caddy/site.key", authority.SiteKeyFile)
                .With("/etc/caddy/clients-ca.pem", authority.CertificateFile)}}
            }
            """);
}
