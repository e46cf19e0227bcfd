using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Tests.Hosting;

/// <summary>The two doors, UseFastCgi and AddFastCgiServer, lead to the same server.</summary>
public class RegistrationTests
{
    private readonly LogRecorder _logs = new();

    public static MatrixTheoryData<string, bool> Doors => new(["default", "slim", "empty"], [false, true]);

    [Theory, MemberData(nameof(Doors))]
    public async Task Each_builder_serves_by_FastCGI(string kind, bool byServices)
    {
        await using var app = await StartAsync(Register(Builder(kind), byServices, Listen));
        _logs.AssertNoUnexpectedErrors();
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task The_generic_host_serves_by_FastCGI(bool byServices)
    {
        using var host = new HostBuilder()
            .ConfigureLogging(logging => logging.AddProvider(_logs))
            .ConfigureWebHost(web => (byServices ? web : web.UseFastCgi(static (_, options) => Listen(options)))
                .Configure(static app => app.Run(static context => context.Response.WriteAsync("hello"))))
            .ConfigureServices(services => _ = byServices ? services.AddFastCgiServer(Listen) : services)
            .Build();

        await host.StartAsync();

        await AssertServesAsync(AddressOf(host.Services.GetRequiredService<IServer>()));
        await host.StopAsync().Within("the stop of the host");
        _logs.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task A_test_server_that_is_registered_later_takes_its_place_and_nothing_is_bound()
    {
        var builder = Builder("default");
        builder.WebHost.UseFastCgi(static options => options.Listen(IPAddress.Parse("203.0.113.1"), 1));
        builder.WebHost.UseTestServer();
        await using var app = builder.Build();
        app.Run(static context => context.Response.WriteAsync("hello"));

        await app.StartAsync();

        Assert.Equal("hello", await app.GetTestClient().GetStringAsync(new Uri("http://localhost/")));
    }

    [Theory, InlineData(false), InlineData(true)]
    public void The_last_server_that_is_registered_is_used(bool byServices)
    {
        Assert.IsType<FastCgiServer>(LastOf(static _ => { }));
        Assert.IsNotType<FastCgiServer>(LastOf(static web => web.UseKestrel()));
        Assert.IsType<TestServer>(LastOf(static web => web.UseTestServer()));

        IServer LastOf(Action<IWebHostBuilder> register)
        {
            var builder = Register(Builder("default"), byServices);
            register(builder.WebHost);
            using var app = builder.Build();
            return app.Services.GetRequiredService<IServer>();
        }
    }

    [Fact]
    public void Configuring_registers_no_server()
    {
        var builder = Builder("default");
        builder.WebHost.ConfigureFastCgi(static options => options.ThreadCount = 3);
        using var app = builder.Build();

        Assert.IsNotType<FastCgiServer>(app.Services.GetRequiredService<IServer>());
        Assert.Equal(3, app.Services.GetRequiredService<IOptions<FastCgiServerOptions>>().Value.ThreadCount);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void Code_has_the_last_word_over_the_section_in_any_order_of_calls(bool byServices)
    {
        var builder = Builder("default");
        builder.Configuration.AddInMemoryCollection(
            [new("FastCgi:ThreadCount", "5"), new("FastCgi:Limits:MaxRequestHeaderCount", "50")]);
        if (byServices)
        {
            builder.Services.Configure<FastCgiServerOptions>(static options => options.ThreadCount = 3);
            builder.Services.AddKeyedSingleton("a key", new object());
        }
        else
        {
            builder.WebHost.ConfigureFastCgi(static options => options.ThreadCount = 3);
        }

        Register(builder, byServices);
        Register(builder, byServices, static options => options.AddServerHeader = true);
        using var app = builder.Build();

        var options = app.Services.GetRequiredService<IOptions<FastCgiServerOptions>>().Value;
        Assert.Equal((3, 50, true), (options.ThreadCount, options.Limits.MaxRequestHeaderCount, options.AddServerHeader));
        Assert.NotNull(options.ApplicationServices);
        Assert.Single(
            builder.Services,
            static service => !service.IsKeyedService && service.ImplementationType == typeof(FastCgiServerOptionsSetup));
    }

    [Fact]
    public async Task Endpoints_of_the_section_are_bound_and_unknown_keys_are_warnings()
    {
        var builder = Builder("default");
        builder.Configuration.AddInMemoryCollection(
            [new("FastCgi:Endpoints:A:Url", "fastcgi://127.0.0.1:0"), new("FastCgi:Limits:MaxBodySize", "1")]);
        builder.WebHost.UseFastCgi();
        await using var app = await StartAsync(builder);

        var warning = Assert.Single(_logs.Entries, static entry => entry.EventId.Id == LogEvents.UnknownConfigurationKey);
        Assert.Contains("FastCgi:Limits:MaxBodySize", warning.Message, StringComparison.Ordinal);
        Assert.Contains("MaxRequestBodySize?", warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Urls_of_the_host_are_listened_on_and_its_HTTP_urls_are_one_warning()
    {
        var builder = Builder("default");
        builder.WebHost.UseUrls("http://127.0.0.1:5000", "fastcgi://127.0.0.1:0").UseFastCgi();
        await using var app = await StartAsync(builder);

        Assert.Single(_logs.Entries, static entry => entry.EventId.Id == LogEvents.AddressNotBound);
    }

    [Fact]
    public async Task Services_alone_are_enough_for_the_server()
    {
        var services = new ServiceCollection();
        services.AddLogging(logging => logging.AddProvider(_logs));
        services.AddFastCgiServer(Listen);
        await using var provider = services.BuildServiceProvider();
        var server = provider.GetRequiredService<IServer>();

        await server.StartAsync(new DelegateApplication(static context => context.Response.WriteAsync("hello")), default);

        await AssertServesAsync(AddressOf(server));
        await server.StopAsync(default).Within("the stop of the server");
        _logs.AssertNoUnexpectedErrors();
    }

    [Fact]
    public void The_two_doors_add_the_same_services()
    {
        Assert.Equal(Describe(byServices: false), Describe(byServices: true));

        IEnumerable<string> Describe(bool byServices) => Register(Builder("empty"), byServices).Services.Select(
            static service => $"{service.Lifetime} {service.ServiceType} {service.ImplementationType}");
    }

    private static void Listen(FastCgiServerOptions options) => options.Listen(IPAddress.Loopback, 0);

    private static string AddressOf(IServer server) =>
        Assert.Single(server.Features.Get<IServerAddressesFeature>()!.Addresses);

    private static async Task AssertServesAsync(string address)
    {
        await using var peer = await ScriptedPeer.ConnectAsync(IPEndPoint.Parse(address["fastcgi://".Length..]));
        Assert.Equal("hello", (await peer.RoundTripAsync(new RequestScript())).BodyText);
    }

    private static WebApplicationBuilder Register(
        WebApplicationBuilder builder, bool byServices, Action<FastCgiServerOptions>? configure = null)
    {
        configure ??= static _ => { };
        if (byServices)
        {
            builder.Services.AddFastCgiServer(configure);
        }
        else
        {
            builder.WebHost.UseFastCgi(configure);
        }

        return builder;
    }

    /// <summary>It serves at its only address, and stops.</summary>
    private static async Task<WebApplication> StartAsync(WebApplicationBuilder builder)
    {
        var app = builder.Build();
        app.Run(static context => context.Response.WriteAsync("hello"));
        await app.StartAsync();
        await AssertServesAsync(Assert.Single(app.Urls));
        await app.StopAsync().Within("the stop of the application");
        return app;
    }

    private WebApplicationBuilder Builder(string kind)
    {
        var builder = kind switch
        {
            "slim" => WebApplication.CreateSlimBuilder(),
            "empty" => WebApplication.CreateEmptyBuilder(new WebApplicationOptions()),
            _ => WebApplication.CreateBuilder(),
        };
        builder.Logging.ClearProviders().AddProvider(_logs);
        return builder;
    }
}
