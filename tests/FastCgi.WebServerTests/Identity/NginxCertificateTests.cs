namespace FastCgi.WebServerTests.Identity;

/// <summary>URL-encoded, as the documentation has it.</summary>
public sealed class NginxCertificateTests : CertificateTests
{
    private const string Escaped = "$ssl_client_escaped_cert";

    private protected override string[] RefusesStrangersBy => ["400"];

    [Fact]
    public Task With_optional_no_ca_the_application_refuses_what_nginx_lets_through() => AssertApplicationRefusesAsync(
        static (app, authority) => StartAsync(app, authority, Escaped, "ssl_verify_client optional_no_ca;"),
        "FAILED:");

    /// <param name="variable">That of nginx which holds the certificate.</param>
    /// <param name="verify">The line in the place of the documented one.</param>
    internal static Task<WebServer> StartAsync(
        ServedApp app, TestAuthority authority, string variable, string verify = "ssl_verify_client optional;") =>
        NginxServer.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}} ssl;
            {{IdentityPage.Certificates("nginx")
                .WithSocket(app)
                .With("/etc/nginx/site.pem", authority.SiteFile)
                .With("/etc/nginx/site.key", authority.SiteKeyFile)
                .With("/etc/nginx/clients-ca.pem", authority.CertificateFile)
                .With("include fastcgi_params", "include /etc/nginx/fastcgi_params")
                .With(Escaped, variable)
                .With("ssl_verify_client optional;", verify)}}
            }
            """);

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        StartAsync(app, authority, Escaped);
}
