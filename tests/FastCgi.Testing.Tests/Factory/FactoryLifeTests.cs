using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Testing.Tests.Factory;

/// <summary>Factories that a test makes itself: derived ones, several at a time, and their end.</summary>
public sealed class FactoryLifeTests
{
    [Fact]
    public async Task ConfigureWebHost_and_WithWebHostBuilder_apply_as_they_do_elsewhere()
    {
        await using var factory = new ConfiguredFactory();
        await using var derived = factory.WithWebHostBuilder(
            static webHost => webHost.UseSetting("Setting", "of the derived factory"));
        using var client = factory.CreateClient();
        using var derivedClient = derived.CreateFastCgiClient();

        Assert.Equal("of the factory", await client.GetStringAsync("/setting").Within("the setting"));
        Assert.Equal(
            "of the derived factory", await derivedClient.GetStringAsync("/setting").Within("the derived setting"));
        Assert.NotSame(factory.Services, derived.Services);
    }

    [Fact]
    public async Task ConfigureTestServices_replaces_a_service()
    {
        var witness = new Witness();
        await using var factory = new FastCgiApplicationFactory<Program>();
        await using var derived = factory.WithWebHostBuilder(
            webHost => webHost.ConfigureTestServices(services => services.AddSingleton(witness)));
        using var connection = await derived.ConnectFastCgiAsync().Within("a connection");

        await connection.StartAsync(new FastCgiTestRequest("GET", "/wait/replaced")).Within("the start");

        await witness.AwaitAsync("replaced: started").Within("the handler's report to the service of the test");
    }

    [Fact]
    public async Task An_application_on_Kestrel_runs_on_FastCGI_too()
    {
        await using var factory = new FastCgiApplicationFactory<Program>();
        await using var kestrel = factory.WithWebHostBuilder(
            static webHost => webHost.UseSetting("Server", "Kestrel").UseSetting("urls", "http://127.0.0.1:0"));
        using var client = kestrel.CreateClient();

        Assert.NotEqual("none", await client.GetStringAsync("/feature").Within("the request feature"));
    }

    [Fact]
    public async Task Disposal_stops_the_server_and_leaves_no_file()
    {
        string socket;
        HttpClient client;
        await using (var factory = new FastCgiApplicationFactory<Program> { Endpoint = FastCgiTestEndpoint.UnixSocket })
        {
            client = factory.CreateFastCgiClient();
            await client.GetStringAsync("/").Within("a page");
            socket = AddressOf(factory)["fastcgi://unix:".Length..];
            Assert.True(File.Exists(socket), socket);
        }

        Assert.False(Directory.Exists(Path.GetDirectoryName(socket)), socket);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.GetStringAsync("/").Within("an error"));
    }

    [Fact]
    public async Task Disposal_does_not_wait_for_a_request_that_the_test_has_left()
    {
        await using var factory = new FastCgiApplicationFactory<Program>();
        var connection = await factory.ConnectFastCgiAsync().Within("a connection");
        await connection.StartAsync(new FastCgiTestRequest("GET", "/wait/left")).Within("the start of the request");
        await factory.Services.GetRequiredService<Witness>().AwaitAsync("left: started").Within("the handler");

        await factory.DisposeAsync().AsTask().Within("the disposal");
    }

    [Fact]
    public async Task Disposal_before_the_start_is_none()
    {
        var factory = new FastCgiApplicationFactory<Program>();
        await factory.DisposeAsync().AsTask().Within("the disposal");
        factory.Dispose();
    }

    [Fact]
    public async Task Factories_at_the_same_time_have_servers_of_their_own()
    {
        var factories = Enumerable.Range(0, 4).Select(static _ => new FastCgiApplicationFactory<Program>()).ToArray();
        var pages = await Task.WhenAll(factories.Select(static factory => Task.Run(async () =>
        {
            using var client = factory.CreateClient();
            return await client.GetStringAsync("/");
        }))).Within("all pages");

        Assert.All(pages, static page => Assert.Equal("Hello", page));
        Assert.Equal(4, factories.Select(AddressOf).Distinct().Count());
        foreach (var factory in factories)
        {
            await factory.DisposeAsync().AsTask().Within("a disposal");
        }
    }

    [Fact]
    public async Task A_TCP_endpoint_is_on_loopback()
    {
        await using var factory = new FastCgiApplicationFactory<Program> { Endpoint = FastCgiTestEndpoint.Tcp };
        using var client = factory.CreateFastCgiClient();

        Assert.Equal("Hello", await client.GetStringAsync("/").Within("a page"));
        Assert.StartsWith("fastcgi://127.0.0.1:", AddressOf(factory), StringComparison.Ordinal);
    }

    [Fact]
    public void An_endpoint_that_does_not_exist_is_refused()
    {
        using var factory = new FastCgiApplicationFactory<Program>();

        Assert.Throws<ArgumentOutOfRangeException>(() => factory.Endpoint = (FastCgiTestEndpoint)4);
    }

    [Fact]
    public void A_factory_with_TestServer_has_no_FastCGI_client()
    {
        using var factory = new WebApplicationFactory<Program>();

        var exception = Assert.Throws<InvalidOperationException>(() => factory.CreateFastCgiClient());

        Assert.Equal(
            "The application runs on TestServer, not on FastCGI. Make the factory a " +
            "FastCgiApplicationFactory<Program>.",
            exception.Message);
    }

    private static string AddressOf(WebApplicationFactory<Program> factory) => Assert.Single(
        factory.Services.GetRequiredService<IServer>().Features
            .GetRequiredFeature<IServerAddressesFeature>().Addresses);

    private sealed class ConfiguredFactory : FastCgiApplicationFactory<Program>
    {
        protected override void ConfigureWebHost(IWebHostBuilder builder) =>
            builder.UseSetting("Setting", "of the factory");
    }
}
