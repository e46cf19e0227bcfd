using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using FastCgi.Client;

namespace FastCgi.Testing.Tests.Factory;

/// <summary>Parameters of the test's choice, by an HttpClient and by a connection of the test.</summary>
public sealed class ClientOptionsTests(FastCgiApplicationFactory<Program> factory)
    : IClassFixture<FastCgiApplicationFactory<Program>>
{
    [Fact]
    public async Task A_client_is_on_loopback_by_plain_HTTP() => Assert.Equal(
        new TestingApp.Client("127.0.0.1", 0, "http", "localhost", "", "/client", null, null, null),
        await AskAsync(new FastCgiTestClientOptions(), "/client"));

    [Fact]
    public async Task A_client_has_the_address_and_the_user_that_the_test_says()
    {
        var options = new FastCgiTestClientOptions
        {
            RemoteAddress = IPAddress.Parse("2001:db8::7"),
            RemotePort = 50_000,
            RemoteUser = "zoë",
            AuthenticationType = "Basic",
            BaseAddress = new Uri("https://shop.example:8443"),
        };

        Assert.Equal(
            new TestingApp.Client(
                "2001:db8::7", 50_000, "https", "shop.example:8443", "", "/client", "zoë", "Basic", null),
            await AskAsync(options, "/client"));
    }

    [Fact]
    public async Task A_client_presents_a_certificate()
    {
        using var key = ECDsa.Create();
        var request = new CertificateRequest("CN=a client", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(
            DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        var options = new FastCgiTestClientOptions
        {
            ClientCertificate = certificate,
            BaseAddress = new Uri("https://localhost"),
        };

        Assert.Equal("CN=a client", (await AskAsync(options, "/client")).Certificate);
    }

    [Fact]
    public async Task The_application_is_mounted_where_the_test_says()
    {
        var seen = await AskAsync(new FastCgiTestClientOptions { PathBase = "/app" }, "/app/client");

        Assert.Equal(("/app", "/client"), (seen.PathBase, seen.Path));
    }

    [Fact]
    public async Task A_path_base_ends_with_a_segment()
    {
        using var connection = await factory.ConnectFastCgiAsync(new FastCgiTestClientOptions { PathBase = "/ra" });
        var response = await connection.SendAsync(new FastCgiTestRequest("GET", "/raw/PATH_INFO"))
            .Within("the response");

        Assert.Equal("/raw/PATH_INFO", response.Text);
    }

    [Fact]
    public async Task Other_parameters_are_added_and_removed()
    {
        var options = new FastCgiTestClientOptions();
        options.Parameters["GEOIP_COUNTRY_CODE"] = "NZ";
        options.Parameters["SERVER_SOFTWARE"] = null;
        using var client = factory.CreateFastCgiClient(options);

        Assert.Equal("NZ", await client.GetStringAsync("/params/GEOIP_COUNTRY_CODE").Within("a parameter"));
        Assert.Equal("none", await client.GetStringAsync("/params/SERVER_SOFTWARE").Within("no parameter"));
    }

    [Fact]
    public async Task Options_of_a_request_win_over_those_of_its_client()
    {
        using var client = factory.CreateFastCgiClient(
            new FastCgiTestClientOptions { RemoteAddress = IPAddress.Parse("203.0.113.7"), RemoteUser = "alice" });
        using var request = new HttpRequestMessage(HttpMethod.Get, "/client");
        request.Options.Set(FastCgiRequestOptions.RemoteAddress, IPAddress.Parse("203.0.113.8"));
        request.Options.Set(
            FastCgiRequestOptions.Parameters, new Dictionary<string, string?> { ["REMOTE_USER"] = "bob" });

        using var response = await client.SendAsync(request).Within("the response");
        var seen = await response.Content.ReadFromJsonAsync<TestingApp.Client>().Within("its body");

        Assert.Equal(("203.0.113.8", "bob"), (seen!.Address, seen.User));
    }

    [Fact]
    public async Task A_client_follows_redirects_and_keeps_cookies_unless_told_otherwise()
    {
        using var client = factory.CreateFastCgiClient();
        using var plain = factory.CreateFastCgiClient(
            new FastCgiTestClientOptions { AllowAutoRedirect = false, HandleCookies = false });

        Assert.Equal("Hello", await client.GetStringAsync("/old").Within("the target of the redirect"));
        await client.GetStringAsync("/visits").Within("the first visit");
        Assert.Equal("2", await client.GetStringAsync("/visits").Within("the second visit"));

        using var redirect = await plain.GetAsync("/old").Within("the redirect");
        Assert.Equal(HttpStatusCode.Redirect, redirect.StatusCode);
        await plain.GetStringAsync("/visits").Within("the first visit");
        Assert.Equal("1", await plain.GetStringAsync("/visits").Within("another first visit"));
    }

    [Fact]
    public async Task STDERR_goes_to_the_sink_of_the_client()
    {
        var errors = new StringBuilder();
        using var client = factory.CreateFastCgiClient(new FastCgiTestClientOptions
        {
            StandardError = (_, text) => errors.Append(Encoding.UTF8.GetString(text.Span)),
        });

        Assert.Equal("done", await client.GetStringAsync("/stderr").Within("a page"));
        Assert.Equal("a warning", errors.ToString());
    }

    [Fact]
    public void Nonsense_is_refused()
    {
        var options = new FastCgiTestClientOptions();

        Assert.Throws<ArgumentOutOfRangeException>(() => options.RemotePort = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.RemotePort = 65_536);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.WriteSize = 0);
        Assert.Throws<ArgumentNullException>(() => options.RemoteAddress = null!);
    }

    /// <summary>Both kinds of clients, which say the same.</summary>
    private async Task<TestingApp.Client> AskAsync(FastCgiTestClientOptions options, string target)
    {
        using var client = factory.CreateFastCgiClient(options);
        using var connection = await factory.ConnectFastCgiAsync(options).Within("a connection");

        var byClient = await client.GetStringAsync(target).Within("the client's response");
        var byConnection = await connection.SendAsync(new FastCgiTestRequest("GET", target));

        Assert.Equal(byClient, byConnection.Text);
        return System.Text.Json.JsonSerializer.Deserialize<TestingApp.Client>(
            byClient, System.Text.Json.JsonSerializerOptions.Web)!;
    }
}
