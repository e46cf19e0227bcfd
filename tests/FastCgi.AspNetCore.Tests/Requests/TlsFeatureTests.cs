using System.Net.Security;
using System.Security.Authentication;

namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>TLS is the web server's, and shows only where its params tell of it.</summary>
public sealed class TlsFeatureTests
{
    [Fact]
    public void Without_https_there_is_no_TLS_feature_and_with_https_alone_nothing_is_known_of_the_handshake()
    {
        var fixture = new FeaturesFixture(("SSL_PROTOCOL", "TLSv1.3"));
        Assert.Null(fixture.Collection.Get<ITlsConnectionFeature>());
        Assert.Null(fixture.Collection.Get<ITlsHandshakeFeature>());

        fixture = new FeaturesFixture(("HTTPS", "on"));
        Assert.Null(fixture.Collection.Get<ITlsHandshakeFeature>());
        Assert.Null(fixture.Get<ITlsConnectionFeature>().ClientCertificate);
    }

    [Fact]
    public void The_handshake_is_what_the_params_say()
    {
        var fixture = new FeaturesFixture(
            ("HTTPS", "on"),
            ("SSL_PROTOCOL", "TLSv1.3"),
            ("SSL_CIPHER", "TLS_AES_256_GCM_SHA384"),
            ("SSL_TLS_SNI", "example.org"));

        var handshake = fixture.Get<ITlsHandshakeFeature>();

        Assert.Equal(SslProtocols.Tls13, handshake.Protocol);
        Assert.Equal(TlsCipherSuite.TLS_AES_256_GCM_SHA384, handshake.NegotiatedCipherSuite);
        Assert.Equal("example.org", handshake.HostName);
    }

    [Fact]
    public async Task The_client_certificate_is_read_once_and_disposed_of_with_the_request()
    {
        using var made = CgiTlsTests.CreateCertificate();
        var fixture = new FeaturesFixture(("HTTPS", "on"), ("SSL_CLIENT_CERT", made.ExportCertificatePem()));
        var feature = fixture.Get<ITlsConnectionFeature>();

        var certificate = feature.ClientCertificate;
        Assert.NotNull(certificate);
        Assert.Equal(made.Thumbprint, certificate.Thumbprint);
        Assert.Same(certificate, feature.ClientCertificate);
        Assert.Same(
            certificate,
            await feature.GetClientCertificateAsync(TestContext.Current.CancellationToken).Within("the certificate"));

        fixture.BeginNext();
        Assert.Equal(nint.Zero, certificate.Handle);
    }

    [Fact]
    public async Task A_certificate_that_the_application_set_is_its_own_to_dispose_of()
    {
        using var made = CgiTlsTests.CreateCertificate();
        var fixture = new FeaturesFixture(("HTTPS", "on"));
        fixture.Get<ITlsConnectionFeature>().ClientCertificate = made;
        Assert.Same(made, await fixture.Get<ITlsConnectionFeature>()
            .GetClientCertificateAsync(TestContext.Current.CancellationToken).Within("the certificate"));

        fixture.End();

        Assert.NotEqual(nint.Zero, made.Handle);
    }

    [Fact]
    public async Task Asking_for_the_certificate_honours_cancellation()
    {
        var fixture = new FeaturesFixture(("HTTPS", "on"));

        await Assert.ThrowsAsync<TaskCanceledException>(
            () => fixture.Get<ITlsConnectionFeature>().GetClientCertificateAsync(new CancellationToken(true)));
    }
}
