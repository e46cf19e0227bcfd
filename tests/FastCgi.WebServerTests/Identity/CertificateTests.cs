using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;
using System.Text.Encodings.Web;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Options;

namespace FastCgi.WebServerTests.Identity;

/// <summary>Certificates of clients, through a web server with the configuration of the documentation.</summary>
public abstract class CertificateTests(CertificateTests.CertifiedSite shared)
    : IDisposable, IClassFixture<CertificateTests.CertifiedSite>
{
    private readonly TestAuthority _authority = shared.Authority;
    private readonly List<IDisposable> _clients = [];

    [Fact]
    public async Task A_certificate_arrives_as_the_client_presented_it_and_signs_the_machine_in()
    {
        var site = await StartAsync();
        var certificate = _authority.Issue("CN=machine-7");
        var machine = CreateClient(site, certificate);

        Assert.Equal(certificate.Thumbprint, await GetAsync(machine, "/certificate"));
        Assert.Equal(Verified, await GetAsync(machine, "/verified"));
        Assert.Equal("CN=machine-7", await GetAsync(machine, "/machines"));
        Assert.Equal("seven", await GetAsync(machine, "/seven"));

        // A new connection of the same client may go on with its TLS session, without a second handshake.
        Assert.Equal("CN=machine-7", await GetAsync(CreateClient(site, certificate), "/machines"));
    }

    [Fact]
    public async Task Each_client_has_its_own_and_a_policy_tells_them_apart()
    {
        var site = await StartAsync();
        var seven = CreateClient(site, _authority.Issue("CN=machine-7"));
        var eight = CreateClient(site, _authority.Issue("CN=machine-8"));
        var nobody = CreateClient(site);

        for (var round = 0; round < 3; round++)
        {
            Assert.Equal("CN=machine-7", await GetAsync(seven, "/machines"));
            Assert.Equal("CN=machine-8", await GetAsync(eight, "/machines"));
            Assert.Equal("none", await GetAsync(nobody, "/certificate"));
        }

        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(eight, "/seven"));
    }

    [Fact]
    public async Task Without_a_certificate_there_is_none_whatever_headers_say()
    {
        var site = await StartAsync();
        var client = CreateClient(site);
        var stolen = _authority.Issue("CN=machine-7").ExportCertificatePem().ReplaceLineEndings(" ");
        foreach (var name in (string[])["SSL_CLIENT_CERT", "SSL-Client-Cert", "X-SSL-Client-Cert", "Client-Cert"])
        {
            client.DefaultRequestHeaders.TryAddWithoutValidation(name, stolen);
        }

        if (RefusesAliases)
        {
            // Two of the names are one param there: the server refuses what it cannot tell apart.
            Assert.Equal(HttpStatusCode.BadRequest, await StatusAsync(client, "/certificate"));
            client.DefaultRequestHeaders.Remove("SSL_CLIENT_CERT");
        }

        Assert.Equal("none", await GetAsync(client, "/certificate"));
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(client, "/machines"));
        Assert.DoesNotContain(
            site.App.Log.Entries, static entry => entry.EventId.Id == LogEvents.ClientCertificateDamaged);
    }

    [Theory]
    [InlineData("another")]
    [InlineData("authority")]
    public async Task A_certificate_of_somebody_else_does_not_get_through_the_web_server(string authority)
    {
        var site = await StartAsync();
        using var others = new TestAuthority(authority);
        var client = CreateClient(site, others.Issue("CN=machine-7"));

        Assert.Contains(await TryGetAsync(client, "/certificate"), RefusesStrangersBy);
    }

    /// <summary>The web server sends headers that differ in punctuation alone as several params of one name.</summary>
    private protected virtual bool RefusesAliases => false;

    /// <summary>What the web server says of a certificate that it has verified.</summary>
    private protected virtual string Verified => "SUCCESS";

    /// <summary>What comes of a certificate that the web server does not trust, see <see cref="TryGetAsync"/>.</summary>
    private protected virtual string[] RefusesStrangersBy => ["ended"];

    private protected abstract Task<WebServer> StartAsync(ServedApp app, TestAuthority authority);

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        _clients.ForEach(static client => client.Dispose());
    }

    private protected Task<Site> StartAsync() => shared.StartedAsync(() => StartAsync(StartAsync));

    /// <summary>A web server that lets every certificate through: the application has to look itself.</summary>
    /// <param name="verified">What it says of the stranger's certificate begins with this.</param>
    private protected async Task AssertApplicationRefusesAsync(
        Func<ServedApp, TestAuthority, Task<WebServer>> start, string verified)
    {
        await using var site = await StartAsync(start);
        using var others = new TestAuthority("another");
        var stranger = others.Issue("CN=machine-7");
        var client = CreateClient(site, stranger);

        Assert.Equal(stranger.Thumbprint, await GetAsync(client, "/certificate"));
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(client, "/machines"));
        Assert.StartsWith(verified, await GetAsync(client, "/verified"), StringComparison.Ordinal);
        var machine = CreateClient(site, _authority.Issue("CN=machine-7"));
        Assert.Equal("CN=machine-7", await GetAsync(machine, "/machines"));
    }

    private Task<Site> StartAsync(Func<ServedApp, TestAuthority, Task<WebServer>> start) => Site.StartAsync(
        app => start(app, _authority), MachinesApp.Configure, builder => MachinesApp.Build(builder, _authority));

    /// <summary>A client with connections of its own.</summary>
    private HttpClient CreateClient(Site site, X509Certificate2? certificate = null)
    {
        var client = _authority.CreateClient(site.WebServer.EndPoint, certificate);
        _clients.Add(client);
        return client;
    }

    private static async Task<string> GetAsync(HttpClient client, string path)
    {
        using var response = await client.GetAsync(new Uri(path, UriKind.Relative)).Within($"the answer to {path}");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return await response.Content.ReadAsStringAsync().Within("its body");
    }

    /// <returns>The body of a good answer, else its status; <c>ended</c> when the handshake failed.</returns>
    private static async Task<string> TryGetAsync(HttpClient client, string path)
    {
        try
        {
            var status = (int)await StatusAsync(client, path);
            return status == 200 ? await GetAsync(client, path) : $"{status}";
        }
        catch (HttpRequestException)
        {
            return "ended";
        }
    }

    private static async Task<HttpStatusCode> StatusAsync(HttpClient client, string path)
    {
        using var response = await client.GetAsync(new Uri(path, UriKind.Relative)).Within($"the answer to {path}");
        return response.StatusCode;
    }

    public sealed class CertifiedSite : SharedSite
    {
        internal TestAuthority Authority { get; } = new();

        public override async ValueTask DisposeAsync()
        {
            await base.DisposeAsync();
            Authority.Dispose();
        }
    }
}

/// <summary>PEM, and SSL_CLIENT_VERIFY unasked.</summary>
public sealed class ApacheCertificateTests(CertificateTests.CertifiedSite shared) : CertificateTests(shared)
{
    [Fact]
    public Task With_optional_no_ca_the_application_refuses_what_Apache_lets_through() => AssertApplicationRefusesAsync(
        static (app, authority) => StartAsync(app, authority, "SSLVerifyClient optional_no_ca"),
        "FAILED:");

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        StartAsync(app, authority, "SSLVerifyClient optional");

    private static Task<WebServer> StartAsync(ServedApp app, TestAuthority authority, string verify) =>
        WebServerProgram.Apache("authz_core", "socache_shmcb", "ssl", "proxy", "proxy_fcgi").StartAsync(
            IdentityPage.Certificates("apache")
                .WithSocket(app)
                .With("/etc/apache2/site.pem", authority.SiteFile)
                .With("/etc/apache2/site.key", authority.SiteKeyFile)
                .With("/etc/apache2/clients-ca.pem", authority.CertificateFile)
                .With("SSLVerifyClient optional", verify));
}

/// <summary>PEM.</summary>
public sealed class CaddyCertificateTests(CertificateTests.CertifiedSite shared) : CertificateTests(shared)
{
    /// <summary>It has no param for that: what it does not trust does not get through.</summary>
    private protected override string Verified => "";

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        WebServerProgram.Caddy.StartAsync(endPoint => $$"""
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

/// <summary>Bare base64.</summary>
public sealed class HaproxyCertificateTests(CertificateTests.CertifiedSite shared) : CertificateTests(shared)
{
    private protected override string Verified => "0";

    [Fact]
    public Task With_errors_ignored_the_application_refuses_what_HAProxy_lets_through() => AssertApplicationRefusesAsync(
        static (app, authority) => StartAsync(app, authority, "verify optional ca-ignore-err all crt-ignore-err all"),
        "21");

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        StartAsync(app, authority, "verify optional");

    private static Task<WebServer> StartAsync(ServedApp app, TestAuthority authority, string verify) =>
        WebServerProgram.Haproxy.StartAsync(endPoint => IdentityPage.Certificates("haproxy")
            .WithSocket(app)
            .With("bind :443", $"bind {endPoint}")
            .With("/etc/haproxy/site.pem", authority.SiteFile)
            .With("/etc/haproxy/clients-ca.pem", authority.CertificateFile)
            .With("verify optional", verify));
}

/// <summary>PEM, and SSL_CLIENT_VERIFY unasked.</summary>
public sealed class LighttpdCertificateTests(CertificateTests.CertifiedSite shared) : CertificateTests(shared)
{
    /// <summary>It serves the request, and exports nothing.</summary>
    private protected override string[] RefusesStrangersBy => ["none"];

    private protected override bool RefusesAliases => true;

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        WebServerProgram.Lighttpd.StartAsync(IdentityPage.Certificates("lighttpd")
            .WithSocket(app)
            .With("/etc/lighttpd/site.pem", authority.SiteFile)
            .With("/etc/lighttpd/site.key", authority.SiteKeyFile)
            .With("/etc/lighttpd/clients-ca.pem", authority.CertificateFile));
}

/// <summary>URL-encoded, as the documentation has it.</summary>
public sealed class NginxCertificateTests(CertificateTests.CertifiedSite shared) : CertificateTests(shared)
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
        WebServerProgram.Nginx.StartAsync(endPoint => $$"""
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

/// <summary>PEM whose lines go on behind a tab, in the variable that older configurations have.</summary>
public sealed class NginxTabbedCertificateTests(CertificateTests.CertifiedSite shared) : CertificateTests(shared)
{
    private protected override string[] RefusesStrangersBy => ["400"];

    private protected override Task<WebServer> StartAsync(ServedApp app, TestAuthority authority) =>
        NginxCertificateTests.StartAsync(app, authority, "$ssl_client_cert");
}

/// <summary>An application whose clients are machines with certificates of one authority.</summary>
internal static class MachinesApp
{
    private const string Scheme = "certificate";

    public static void Build(WebApplicationBuilder builder, TestAuthority authority)
    {
        builder.Services.Configure<FastCgiServerOptions>(
            static options => options.ClientCertificateParameter = "SSL_CLIENT_CERT");
        builder.Services.AddSingleton(authority);
        builder.Services.AddAuthentication(Scheme).AddScheme<AuthenticationSchemeOptions, Handler>(Scheme, null);
        builder.Services.AddAuthorization(static options => options.AddPolicy(
            "machine 7", static policy => policy.RequireClaim(ClaimTypes.Name, "CN=machine-7")));
    }

    public static void Configure(WebApplication app)
    {
        app.MapGet("/certificate", static async (HttpContext context) =>
            (await context.Connection.GetClientCertificateAsync(context.RequestAborted))?.Thumbprint ?? "none");
        app.MapGet("/verified", static (HttpContext context) => context.GetServerVariable("SSL_CLIENT_VERIFY") ?? "");
        app.MapGet("/machines", static (ClaimsPrincipal user) => user.Identity!.Name).RequireAuthorization();
        app.MapGet("/seven", static () => "seven").RequireAuthorization("machine 7");
    }

    /// <summary>Certificate authentication in short: the chain is the application's to build, whoever let it in.</summary>
    private sealed class Handler(
        IOptionsMonitor<AuthenticationSchemeOptions> options,
        ILoggerFactory loggers,
        UrlEncoder encoder,
        TestAuthority authority)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
    {
        protected override async Task<AuthenticateResult> HandleAuthenticateAsync()
        {
            if (await Context.Connection.GetClientCertificateAsync(Context.RequestAborted) is not { } certificate)
            {
                return AuthenticateResult.NoResult();
            }

            if (!authority.Signed(certificate))
            {
                return AuthenticateResult.Fail("Not of our authority.");
            }

            var identity = new ClaimsIdentity([new Claim(ClaimTypes.Name, certificate.Subject)], Scheme.Name);
            return AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), Scheme.Name));
        }
    }
}
