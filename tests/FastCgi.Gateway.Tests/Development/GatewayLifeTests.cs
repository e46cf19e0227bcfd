using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Gateway.Development;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Hosting;

namespace FastCgi.Gateway.Tests.Development;

/// <summary>When the gateway runs, how it starts, and what its end leaves.</summary>
public class GatewayLifeTests
{
    [Fact]
    public async Task The_stop_lets_requests_end_and_leaves_no_file()
    {
        var arrived = new TaskCompletionSource();
        var answer = new TaskCompletionSource();
        await using var application = await DevelopmentApplication.StartAsync(async context =>
        {
            arrived.SetResult();
            await answer.Task;
            await context.Response.WriteAsync("late");
        });
        using var client = application.CreateClient();
        var directory = application.Directory;

        var request = client.GetStringAsync("/");
        await arrived.Task.Within("the request");
        var stop = application.StopAsync();
        await application.Logs.WaitForAsync(
            static entry => entry.Message.StartsWith("Application is shutting down", StringComparison.Ordinal),
            "the begin of the stop");
        Assert.False(stop.IsCompleted);
        answer.SetResult();

        Assert.Equal("late", await request.Within("the answer"));
        await stop.Within("the stop");
        Assert.False(Directory.Exists(directory));
        await Assert.ThrowsAsync<HttpRequestException>(() => client.GetStringAsync("/"));
    }

    [Fact]
    public async Task Two_instances_run_side_by_side()
    {
        await using var first = await DevelopmentApplication.StartAsync(static context => context.Response.WriteAsync("1"));
        await using var second = await DevelopmentApplication.StartAsync(static context => context.Response.WriteAsync("2"));
        using var toFirst = first.CreateClient();
        using var toSecond = second.CreateClient();

        Assert.Equal("1", await toFirst.GetStringAsync("/"));
        Assert.Equal("2", await toSecond.GetStringAsync("/"));
    }

    [Fact]
    public async Task Outside_of_Development_nothing_serves_http_and_the_log_says_so()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            GatewayAddressTests.Hello, "--production", "--urls", "http://127.0.0.1:0;fastcgi://127.0.0.1:0");

        Assert.StartsWith("fastcgi://", Assert.Single(application.Urls), StringComparison.Ordinal);
        Assert.Single(application.Logs.Entries, static entry => entry.EventId.Id == LogEvents.AddressNotBound);
        var notice = Assert.Single(
            application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayOff);
        Assert.Contains("Production", notice.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--http_ports")]
    [InlineData("--https_ports")]
    public async Task Outside_of_Development_a_port_alone_is_an_http_address_too(string option)
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(GatewayAddressTests.Hello),
            static builder => builder.WebHost.ConfigureFastCgi(static options => options.Listen(IPAddress.Loopback, 0)),
            "--production", "--no-urls", option, "8080");

        Assert.Single(
            application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayOff);
    }

    [Fact]
    public async Task Outside_of_Development_it_is_silent_without_http_addresses()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            GatewayAddressTests.Hello, "--production", "--urls", "fastcgi://127.0.0.1:0");

        Assert.DoesNotContain(
            application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayOff);
        Assert.IsNotType<DevelopmentGateway>(application.Services.GetRequiredService<IServer>());
    }

    [Theory]
    [InlineData("slim", "http", false)]
    [InlineData("slim", "https", false)]
    [InlineData("empty", "http", false)]
    [InlineData("empty", "https", false)]
    [InlineData("empty", "http", true)]
    [InlineData("default", "http", true)]
    public async Task Each_builder_is_served_and_the_calls_may_have_any_order(
        string kind, string scheme, bool isGatewayFirst)
    {
        using var certificate = GatewayAddressTests.SelfMade();
        var options = new WebApplicationOptions { EnvironmentName = Environments.Development };
        var builder = kind switch
        {
            "slim" => WebApplication.CreateSlimBuilder(options),
            "empty" => WebApplication.CreateEmptyBuilder(options),
            _ => WebApplication.CreateBuilder(options),
        };
        builder.Logging.ClearProviders();
        _ = isGatewayFirst
            ? builder.WebHost.UseFastCgiDevelopmentGateway().UseFastCgi()
            : builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
        builder.Services.Configure<KestrelServerOptions>(kestrel =>
            kestrel.ConfigureHttpsDefaults(https => https.ServerCertificate = certificate));
        await using var application = builder.Build();
        application.Run(GatewayAddressTests.Hello);
        application.Urls.Add($"{scheme}://127.0.0.1:0");
        await application.StartAsync().Within("the start");
        using var client = new HttpClient(new HttpClientHandler
        {
            ServerCertificateCustomValidationCallback = static (_, _, _, _) => true,
        })
        {
            BaseAddress = new Uri(application.Urls.Single()),
            Timeout = Deadline.Default,
        };

        Assert.IsType<DevelopmentGateway>(application.Services.GetRequiredService<IServer>());
        Assert.Equal("hello", await client.GetStringAsync("/"));
        await application.StopAsync().Within("the stop");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Without_the_FastCGI_server_the_application_does_not_start(bool isKestrelLater)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = ["--urls", "http://127.0.0.1:0"],
            EnvironmentName = Environments.Development,
        });
        builder.Logging.ClearProviders();
        builder.WebHost.UseFastCgiDevelopmentGateway();
        if (isKestrelLater)
        {
            builder.WebHost.UseFastCgi().UseKestrel();
        }

        await using var application = builder.Build();

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => application.StartAsync().Within("the start"));
        Assert.Contains("call UseFastCgi too, and no UseKestrel after it", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_second_call_of_either_changes_nothing()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(GatewayAddressTests.Hello),
            static builder => builder.WebHost.UseFastCgiDevelopmentGateway().UseFastCgi());

        await GatewayAddressTests.AssertHelloAsync(application);
        Assert.Single(application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayStarted);
    }
}
