using System.Net;
using System.Text;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Testing.Tests.Factory;

/// <summary>What WebApplicationFactory offers, over the real path.</summary>
public sealed class FactoryTests(
    FastCgiApplicationFactory<Program> factory, WebApplicationFactory<Program> onTestServer)
    : IClassFixture<FastCgiApplicationFactory<Program>>, IClassFixture<WebApplicationFactory<Program>>
{
    [Fact]
    public async Task CreateClient_reaches_the_application_over_FastCGI()
    {
        using var client = factory.CreateClient();

        Assert.Equal("Hello", await client.GetStringAsync("/").Within("a page"));
        Assert.NotEqual("none", await client.GetStringAsync("/feature").Within("the request feature"));
        Assert.Equal("FastCgi.Client", await client.GetStringAsync("/params/SERVER_SOFTWARE").Within("a parameter"));
    }

    [Fact]
    public async Task The_application_s_endpoint_of_the_status_is_not_bound()
    {
        await using var own = factory.WithWebHostBuilder(static builder => builder
            .UseSetting("FastCgi:Status:Path", "/status")
            .UseSetting("FastCgi:Status:Endpoint", "unix:/proc/not-bound.sock"));
        using var client = own.CreateClient();

        Assert.Equal("Hello", await client.GetStringAsync("/").Within("a page"));
        using var status = await client.GetAsync("/status").Within("the status");
        Assert.Equal(HttpStatusCode.Forbidden, status.StatusCode);
    }

    [Fact]
    public async Task CreateClient_follows_redirects_and_keeps_cookies()
    {
        using var client = factory.CreateClient();

        Assert.Equal("Hello", await client.GetStringAsync("/old").Within("the target of the redirect"));
        Assert.Equal("1", await client.GetStringAsync("/visits").Within("the first visit"));
        Assert.Equal("2", await client.GetStringAsync("/visits").Within("the second visit"));
    }

    [Fact]
    public async Task CreateClient_by_https_is_seen_as_https()
    {
        using var client = factory.CreateClient(
            new WebApplicationFactoryClientOptions { BaseAddress = new Uri("https://shop.example") });

        var seen = await client.GetStringAsync("/client").Within("what the application knows");

        Assert.Contains("\"scheme\":\"https\",\"host\":\"shop.example\"", seen, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/target?a=b%20c&d=%C3%A4")]
    [InlineData("/target?")]
    public async Task CreateClient_keeps_the_target(string target)
    {
        using var client = factory.CreateClient();

        Assert.Equal(target.TrimEnd('?'), await client.GetStringAsync(target).Within("the target"));
    }

    /// <summary>TestServer has decoded the path, and can no longer say which slash was an escaped one.</summary>
    [Theory]
    [InlineData("/path/a%2541")]
    [InlineData("/path/a%252541")]
    [InlineData("/path/a%2Fb%2fc")]
    [InlineData("/path/a%252Fb")]
    [InlineData("/path/100%25")]
    [InlineData("/path/a%20%C3%A4%3Fb%2500")]
    public async Task CreateClient_sends_the_path_that_the_application_has_on_TestServer(string target)
    {
        var expected = await onTestServer.CreateClient().GetStringAsync(target).Within("the path on TestServer");

        Assert.Equal(expected, await factory.CreateClient().GetStringAsync(target).Within("the path"));
    }

    [Fact]
    public async Task CreateClient_sends_a_body_of_known_length_and_one_of_unknown_length()
    {
        var bytes = new byte[1_000_000];
        new Random(1).NextBytes(bytes);
        using var client = factory.CreateClient();
        using var known = new ByteArrayContent(bytes);
        using var unknown = new UnknownLengthContent(bytes);

        using var first = await client.PostAsync("/echo", known).Within("the first response");
        using var second = await client.PostAsync("/echo", unknown).Within("the second response");

        Assert.Equal(bytes, await first.Content.ReadAsByteArrayAsync().Within("the first body"));
        Assert.Equal(bytes, await second.Content.ReadAsByteArrayAsync().Within("the second body"));
    }

    [Fact]
    public async Task CreateClient_sends_the_type_of_an_empty_body_as_TestServer_does()
    {
        foreach (var client in (HttpClient[])[onTestServer.CreateClient(), factory.CreateClient()])
        {
            using var form = new FormUrlEncodedContent([]);
            using var response = await client.PostAsync("/echo", form).Within("the response");

            Assert.Equal("application/x-www-form-urlencoded", response.Content.Headers.ContentType?.MediaType);
        }
    }

    [Fact]
    public async Task CreateClient_gets_what_the_application_flushes()
    {
        var witness = factory.Services.GetRequiredService<Witness>();
        using var client = factory.CreateClient();

        await using var body = await client.GetStreamAsync("/parts/flush").Within("the head");
        var part = new byte[6];
        await body.ReadExactlyAsync(part).AsTask().Within("the first part");
        witness.Report("flush: go on");
        using var reader = new StreamReader(body);

        Assert.Equal("first,", Encoding.UTF8.GetString(part));
        Assert.Equal("second", await reader.ReadToEndAsync().Within("the second part"));
    }

    [Fact]
    public async Task A_client_that_gives_up_aborts_the_request()
    {
        var witness = factory.Services.GetRequiredService<Witness>();
        using var client = factory.CreateClient();
        using var cancellation = new CancellationTokenSource();

        var response = client.GetAsync("/wait/given-up", cancellation.Token);
        await witness.AwaitAsync("given-up: started").Within("the start of the handler");
        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => response.Within("the cancellation"));
        await witness.AwaitAsync("given-up: aborted").Within("the abort");
    }

    [Fact]
    public async Task A_failure_of_the_application_is_a_500_as_behind_a_web_server()
    {
        using var client = factory.WithWebHostBuilder(static webHost => webHost.UseEnvironment("Production"))
            .CreateClient();

        using var response = await client.GetAsync("/fail").Within("the response");

        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
    }

    [Fact]
    public async Task A_torn_response_is_an_error_of_the_client()
    {
        using var client = factory.CreateClient();

        var error = await Record.ExceptionAsync(() => client.GetStringAsync("/tear").Within("the torn response"));

        Assert.True(error is HttpRequestException or HttpIOException, $"{error}");
    }

    [Fact]
    public async Task The_application_finds_its_content_root()
    {
        using var client = factory.CreateClient();

        var root = await client.GetStringAsync("/environment").Within("the content root");

        Assert.True(File.Exists(Path.Combine(root, "FastCgi.TestingApp.csproj")), root);
    }

    [Fact]
    public async Task The_server_of_TestServer_sends_over_FastCGI_too()
    {
        var context = await factory.Server.SendAsync(static context =>
        {
            context.Request.Path = "/address";
            context.Connection.RemoteIpAddress = IPAddress.Parse("203.0.113.7");
        }).Within("the response");
        using var reader = new StreamReader(context.Response.Body);

        Assert.Equal("203.0.113.7", await reader.ReadToEndAsync().Within("its body"));
    }

    [Fact]
    public async Task AllowSynchronousIO_of_the_server_holds_as_on_TestServer()
    {
        await using var own = factory.WithWebHostBuilder(static _ => { });
        using var client = own.CreateClient();
        using var refused = await client.GetAsync("/synchronous").Within("the error");
        own.Server.AllowSynchronousIO = true;

        Assert.Equal(HttpStatusCode.InternalServerError, refused.StatusCode);
        Assert.Equal("written", await client.GetStringAsync("/synchronous").Within("a page"));
        Assert.Equal("written", await own.CreateFastCgiClient().GetStringAsync("/synchronous").Within("the page again"));
    }

    [Fact]
    public void The_application_listens_on_the_private_endpoint_only()
    {
        _ = factory.Server;
        var addresses = factory.Services.GetRequiredService<IServer>().Features
            .GetRequiredFeature<IServerAddressesFeature>().Addresses;

        var address = Assert.Single(addresses);
        Assert.StartsWith("fastcgi://", address, StringComparison.Ordinal);
        Assert.DoesNotContain("nowhere", address, StringComparison.Ordinal);
    }

    /// <summary>A body whose length the client does not tell.</summary>
    private sealed class UnknownLengthContent(byte[] bytes) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
            stream.WriteAsync(bytes).AsTask();

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
