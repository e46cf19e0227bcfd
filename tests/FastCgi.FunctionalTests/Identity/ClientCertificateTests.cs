using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace FastCgi.FunctionalTests.Identity;

/// <summary>The client's certificate, at the level of params.</summary>
public sealed class ClientCertificateTests : FunctionalTest
{
    private static readonly RequestDelegate s_describe = async context =>
    {
        var tls = context.Features.Get<ITlsConnectionFeature>();
        var awaited = tls is null ? null : await tls.GetClientCertificateAsync(context.RequestAborted);
        Assert.Same(awaited, context.Connection.ClientCertificate);
        await context.Response.WriteAsync(awaited?.Subject ?? "none");
    };

    [Fact]
    public async Task A_certificate_in_its_param_is_the_client_s_and_for_that_request_alone()
    {
        var peer = await ConnectToAsync();
        var pem = MakePem();

        Assert.Equal("CN=ann", await AskAsync(peer, ("HTTPS", "on"), ("SSL_CLIENT_CERT", pem)));
        Assert.Equal("none", await AskAsync(peer, ("HTTPS", "on")));
        Assert.Equal("none", await AskAsync(peer, ("HTTPS", "on"), ("SSL_CLIENT_CERT", "")));
        Assert.Equal("none", await AskAsync(peer, ("HTTPS", "on"), ("SSL_CLIENT_CERT", "-")));
        Assert.Equal("none", await AskAsync(peer, ("HTTPS", "on"), ("HTTP_SSL_CLIENT_CERT", pem.ReplaceLineEndings(" "))));
        Assert.Equal("none", await AskAsync(peer, ("SSL_CLIENT_CERT", pem)));
        Assert.DoesNotContain(Logs.Entries, IsAboutDamage);
    }

    [Fact]
    public async Task A_damaged_certificate_is_none_and_the_log_says_so()
    {
        var peer = await ConnectToAsync();

        Assert.Equal("none", await AskAsync(peer, ("HTTPS", "on"), ("SSL_CLIENT_CERT", MakePem()[..200])));

        var entry = Assert.Single(Logs.Entries, IsAboutDamage);
        Assert.Equal(LogLevel.Information, entry.Level);
        Assert.Contains("SSL_CLIENT_CERT", entry.Message, StringComparison.Ordinal);
        await AssertServesAsync(peer);
    }

    private async Task<ScriptedPeer> ConnectToAsync() => await StartAndConnectAsync(
        s_describe, static options => options.ClientCertificateParameter = "SSL_CLIENT_CERT");

    private static bool IsAboutDamage(LogEntry entry) => entry.EventId.Id == ClientCertificateDamaged;

    private static string MakePem()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=ann", key, HashAlgorithmName.SHA256);
        var start = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
        using var certificate = request.CreateSelfSigned(start, start.AddYears(1));
        return certificate.ExportCertificatePem();
    }
}
