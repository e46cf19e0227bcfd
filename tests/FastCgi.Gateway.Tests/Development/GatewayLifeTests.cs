using System.Net;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Gateway.Development;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.Gateway.Tests.Development;

/// <summary>When the gateway runs, how it starts, and what its end leaves.</summary>
public class GatewayLifeTests
{
    public static MatrixTheoryData<string, string> Builders => new(["slim", "empty"], ["http", "https"]);

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

        var request = client.GetStringAsync(new Uri("/", UriKind.Relative));
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
        await Assert.ThrowsAsync<HttpRequestException>(() => client.GetStringAsync(new Uri("/", UriKind.Relative)));
    }

    [Fact]
    public async Task Two_instances_run_side_by_side()
    {
        await using var first = await DevelopmentApplication.StartAsync(static context => context.Response.WriteAsync("1"));
        await using var second = await DevelopmentApplication.StartAsync(static context => context.Response.WriteAsync("2"));
        using var toFirst = first.CreateClient();
        using var toSecond = second.CreateClient();

        Assert.Equal("1", await toFirst.GetStringAsync(new Uri("/", UriKind.Relative)));
        Assert.Equal("2", await toSecond.GetStringAsync(new Uri("/", UriKind.Relative)));
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
    [MemberData(nameof(Builders))]
    public async Task Smaller_builders_are_served_too(string kind, string scheme)
    {
        using var certificate = GatewayAddressTests.SelfMade();
        var options = new WebApplicationOptions { EnvironmentName = Environments.Development };
        var builder = kind == "slim"
            ? WebApplication.CreateSlimBuilder(options)
            : WebApplication.CreateEmptyBuilder(options);
        builder.Logging.ClearProviders();
        builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway().ConfigureServices(services =>
            services.Configure<KestrelServerOptions>(kestrel =>
                kestrel.ConfigureHttpsDefaults(https => https.ServerCertificate = certificate)));
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

        Assert.Equal("hello", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
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

    [Theory]
    [InlineData("default")]
    [InlineData("empty")]
    public async Task The_gateway_may_be_added_before_the_FastCGI_server(string kind)
    {
        var options = new WebApplicationOptions { EnvironmentName = Environments.Development };
        var builder = kind == "default"
            ? WebApplication.CreateBuilder(options)
            : WebApplication.CreateEmptyBuilder(options);
        builder.Logging.ClearProviders();
        builder.WebHost.UseFastCgiDevelopmentGateway().UseFastCgi();
        await using var application = builder.Build();
        application.Run(GatewayAddressTests.Hello);
        application.Urls.Add("http://127.0.0.1:0");
        await application.StartAsync().Within("the start");
        using var client = new HttpClient
        {
            BaseAddress = new Uri(application.Urls.Single()),
            Timeout = Deadline.Default,
        };

        Assert.IsType<DevelopmentGateway>(application.Services.GetRequiredService<IServer>());
        Assert.Equal("hello", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
        await application.StopAsync().Within("the stop");
    }

    [Fact]
    public async Task A_second_FastCGI_server_changes_nothing()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(GatewayAddressTests.Hello),
            static builder => builder.WebHost.UseFastCgi());
        using var client = application.CreateClient();

        Assert.Equal("hello", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
    }

    [Fact]
    public async Task A_second_call_changes_nothing()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(GatewayAddressTests.Hello),
            static builder => builder.WebHost.UseFastCgiDevelopmentGateway());
        using var client = application.CreateClient();

        Assert.Equal("hello", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
        Assert.Single(application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.DevelopmentGatewayStarted);
    }
}
