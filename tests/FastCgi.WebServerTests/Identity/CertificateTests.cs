using System.Net;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.WebServerTests.Identity;

/// <summary>Certificates of clients, through a web server with the configuration of the documentation.</summary>
public abstract class CertificateTests
{
    [Fact]
    public async Task A_certificate_arrives_as_the_client_presented_it_and_signs_the_machine_in()
    {
        await using var site = await StartAsync();
        var certificate = site.Authority.Issue("CN=machine-7");
        var machine = site.CreateClient(certificate);

        Assert.Equal(certificate.Thumbprint, await GetAsync(machine, "/certificate"));
        Assert.Equal(Verified, await GetAsync(machine, "/verified"));
        Assert.Equal("CN=machine-7", await GetAsync(machine, "/machines"));
        Assert.Equal("seven", await GetAsync(machine, "/seven"));

        // A new connection of the same client may go on with its TLS session, without a second handshake.
        Assert.Equal("CN=machine-7", await GetAsync(site.CreateClient(certificate), "/machines"));
    }

    [Fact]
    public async Task Each_client_has_its_own_and_a_policy_tells_them_apart()
    {
        await using var site = await StartAsync();
        var seven = site.CreateClient(site.Authority.Issue("CN=machine-7"));
        var eight = site.CreateClient(site.Authority.Issue("CN=machine-8"));
        var nobody = site.CreateClient();

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
        await using var site = await StartAsync();
        var client = site.CreateClient();
        var stolen = site.Authority.Issue("CN=machine-7").ExportCertificatePem().ReplaceLineEndings(" ");
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
        await using var site = await StartAsync();
        using var others = new TestAuthority(authority);
        var client = site.CreateClient(others.Issue("CN=machine-7"));

        Assert.Contains(await TryGetAsync(client, "/certificate"), RefusesStrangersBy);
    }

    /// <summary>The web server sends headers that differ in punctuation alone as several params of one name.</summary>
    private protected virtual bool RefusesAliases => false;

    /// <summary>What the web server says of a certificate that it has verified.</summary>
    private protected virtual string Verified => "SUCCESS";

    /// <summary>What comes of a certificate that the web server does not trust, see <see cref="TryGetAsync"/>.</summary>
    private protected virtual string[] RefusesStrangersBy => ["ended"];

    private protected abstract Task<WebServer> StartAsync(ServedApp app, TestAuthority authority);

    private protected Task<MachinesSite> StartAsync() => MachinesSite.StartAsync(StartAsync);

    /// <summary>A web server that lets every certificate through: the application has to look itself.</summary>
    /// <param name="start">The web server.</param>
    /// <param name="verified">What it says of the stranger's certificate begins with this.</param>
    private protected static async Task AssertApplicationRefusesAsync(
        Func<ServedApp, TestAuthority, Task<WebServer>> start, string verified)
    {
        await using var site = await MachinesSite.StartAsync(start);
        using var others = new TestAuthority("another");
        var stranger = others.Issue("CN=machine-7");
        var client = site.CreateClient(stranger);

        Assert.Equal(stranger.Thumbprint, await GetAsync(client, "/certificate"));
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(client, "/machines"));
        Assert.StartsWith(verified, await GetAsync(client, "/verified"), StringComparison.Ordinal);
        var machine = site.CreateClient(site.Authority.Issue("CN=machine-7"));
        Assert.Equal("CN=machine-7", await GetAsync(machine, "/machines"));
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
}
