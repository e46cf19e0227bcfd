namespace FastCgi.WebServerTests.Identity;

/// <summary>Bare base64.</summary>
public sealed class HaproxyCertificateTests : CertificateTests
{
    private protected override string Verified => "0";

    [Fact]
    public Task With_errors_ignored_the_application_refuses_what_HAProxy_lets_through() => AssertApplicationRefusesAsync(
        static (app, authority) => StartAsync(app, authority, "verify optional ca-ignore-err all crt-ignore-err all"),
        "21");

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        StartAsync(app, authority, "verify optional");

    private static Task<WebServer> StartAsync(ServedApp app, TestAuthority authority, string verify) =>
        HaproxyServer.StartAsync(endPoint => IdentityPage.Certificates("haproxy")
            .WithSocket(app)
            .With("bind :443", $"bind {endPoint}")
            .With("/etc/haproxy/site.pem", authority.SiteFile)
            .With("/etc/haproxy/clients-ca.pem", authority.CertificateFile)
            .With("verify optional", verify));
}
