using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.Configuration;

namespace FastCgi.Gateway.Tests.Development;

/// <summary>Which addresses the gateway serves, and what the host and the application see of them.</summary>
public class GatewayAddressTests
{
    private const int NowListening = 14;

    [Fact]
    public async Task The_host_logs_the_http_address_and_no_private_one()
    {
        await using var application = await DevelopmentApplication.StartAsync(Hello);

        var listening = Assert.Single(application.Logs.Entries, IsNowListening);
        Assert.Equal($"Now listening on: {Assert.Single(application.Urls)}", listening.Message);
        Assert.StartsWith("http://127.0.0.1:", application.Urls.Single(), StringComparison.Ordinal);
        Assert.DoesNotContain(application.Logs.Entries, static entry => entry.EventId.Id == LogEvents.AddressNotBound);
    }

    [Fact]
    public async Task The_log_says_which_way_requests_go_and_what_production_needs()
    {
        await using var application = await DevelopmentApplication.StartAsync(Hello);

        var started = Assert.Single(
            application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayStarted);
        Assert.Equal(LogLevel.Information, started.Level);
        Assert.Contains(Assert.Single(application.Urls), started.Message, StringComparison.Ordinal);
        Assert.Contains("fastcgi.sock", started.Message, StringComparison.Ordinal);
        Assert.Contains("In production the application needs a web server", started.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Redirection_to_https_finds_the_port_in_the_addresses()
    {
        using var certificate = SelfMade();
        await using var application = await DevelopmentApplication.StartAsync(
            static app =>
            {
                app.UseHttpsRedirection();
                app.Run(static context => context.Response.WriteAsync(context.Request.Scheme));
            },
            builder => builder.WebHost.ConfigureKestrel(
                kestrel => kestrel.ConfigureHttpsDefaults(https => https.ServerCertificate = certificate)),
            "--urls", "http://127.0.0.1:0;https://127.0.0.1:0");
        using var plain = application.CreateClient();
        using var secure = application.CreateClient("https");

        using var redirect = await plain.GetAsync(new Uri("/a?b=c", UriKind.Relative));

        Assert.Equal(HttpStatusCode.TemporaryRedirect, redirect.StatusCode);
        Assert.Equal(new Uri(secure.BaseAddress!, "/a?b=c"), redirect.Headers.Location);
        Assert.Equal("https", await secure.GetStringAsync("/"));
    }

    [Fact]
    public async Task Kestrel_endpoints_of_the_configuration_are_the_gateways()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(Hello),
            static builder => builder.Configuration.AddInMemoryCollection(
                [new("Kestrel:Endpoints:Front:Url", "http://127.0.0.1:0")]),
            "--no-urls");

        await AssertHelloAsync(application);
        Assert.DoesNotContain(application.Logs.Entries, static entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task Endpoints_of_ConfigureKestrel_are_the_gateways_without_a_warning()
    {
        using var certificate = SelfMade();
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(Hello),
            builder => builder.WebHost.ConfigureKestrel(kestrel =>
                kestrel.Listen(IPAddress.Loopback, 0, listen => listen.UseHttps(certificate))),
            "--no-urls");

        await AssertHelloAsync(application, "https");
        Assert.DoesNotContain(application.Logs.Entries, static entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task Addresses_of_code_are_served()
    {
        await using var application = DevelopmentApplication.Create(static app => app.Run(Hello), null, "--no-urls");
        application.Urls.Add("http://127.0.0.1:0");
        await application.StartAsync();

        await AssertHelloAsync(application);
    }

    [Fact]
    public async Task FastCGI_addresses_of_the_host_are_listened_on_beside()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            Hello, "--urls", "fastcgi://127.0.0.1:0;http://127.0.0.1:0");

        await AssertHelloAsync(application);
        Assert.Equal(2, application.Urls.Count);
        Assert.StartsWith("http://", application.Urls.First(), StringComparison.Ordinal);
        await AssertServesFastCgiAsync(application.AddressOf("fastcgi"));
    }

    [Fact]
    public async Task Endpoints_of_the_FastCGI_server_stay()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(Hello),
            static builder => builder.WebHost.ConfigureFastCgi(static options => options.Listen(IPAddress.Loopback, 0)));

        await AssertHelloAsync(application);
        await AssertServesFastCgiAsync(application.AddressOf("fastcgi"));
    }

    [Fact]
    public async Task Endpoint_defaults_of_the_application_do_not_change_the_private_endpoints()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(Hello),
            static builder => builder.WebHost.ConfigureFastCgi(static options => options.ConfigureEndpointDefaults(
                static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi)));

        await AssertHelloAsync(application);
    }

    [Fact]
    public async Task With_FastCGI_addresses_alone_there_is_no_gateway()
    {
        await using var application = await DevelopmentApplication.StartAsync(Hello, "--urls", "fastcgi://127.0.0.1:0");

        await AssertServesFastCgiAsync(new Uri(Assert.Single(application.Urls)));
        Assert.DoesNotContain(
            application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayStarted);
    }

    [Fact]
    public async Task The_private_sockets_are_the_users_alone()
    {
        await using var application = await DevelopmentApplication.StartAsync(Hello);
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        const UnixFileMode UserOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        Assert.Equal(UserOnly | UnixFileMode.UserExecute, File.GetUnixFileMode(application.Directory));
        foreach (var socket in (string[])["fastcgi.sock", "scgi.sock"])
        {
            Assert.Equal(UserOnly, File.GetUnixFileMode(Path.Combine(application.Directory, socket)));
        }
    }

    [Fact]
    public async Task Addresses_cannot_be_changed_after_the_start()
    {
        await using var application = await DevelopmentApplication.StartAsync(Hello);

        Assert.Throws<InvalidOperationException>(() => application.Urls.Add("http://127.0.0.1:1"));
    }

    internal static Task Hello(HttpContext context) => context.Response.WriteAsync("hello");

    internal static async Task AssertHelloAsync(DevelopmentApplication application, string scheme = "http")
    {
        using var client = application.CreateClient(scheme);
        Assert.Equal("hello", await client.GetStringAsync("/"));
    }

    private static async Task AssertServesFastCgiAsync(Uri address)
    {
        await using var peer = await ScriptedPeer.ConnectAsync(
            new IPEndPoint(IPAddress.Parse(address.Host), address.Port));
        Assert.Equal("hello", (await peer.RoundTripAsync(new RequestScript())).BodyText);
    }

    private static bool IsNowListening(LogEntry entry) =>
        entry.Category == "Microsoft.Hosting.Lifetime" && entry.EventId.Id == NowListening;

    internal static X509Certificate2 SelfMade()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256)
            .CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }
}
