using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Hosting;

namespace FastCgi.Gateway.Tests.Harness;

/// <summary>
/// Kestrel on a free port of 127.0.0.1, with an application of the test's choice. Its end asserts that no error was
/// logged that the test had not announced.
/// </summary>
internal sealed class GatewayFront : IAsyncDisposable
{
    private readonly WebApplication _application;

    private GatewayFront(WebApplication application, LogRecorder logs)
    {
        _application = application;
        Logs = logs;
        Uri = new Uri(application.Services.GetRequiredService<IServer>().Features
            .Get<IServerAddressesFeature>()!.Addresses.Single());
        Client = new HttpClient { BaseAddress = Uri, Timeout = Deadline.Default };
    }

    public LogRecorder Logs { get; }

    public Uri Uri { get; }

    public HttpClient Client { get; }

    public IServiceProvider Services => _application.Services;

    /// <summary>Every request goes through a forwarder.</summary>
    public static Task<GatewayFront> ForwardAsync(
        HttpMessageInvoker destination,
        TimeSpan? timeout = null,
        TimeProvider? clock = null,
        Action<IApplicationBuilder>? before = null,
        Action<WebApplicationBuilder>? build = null,
        HttpProtocols protocols = HttpProtocols.Http1)
    {
        var rules = new ForwardingRules
        {
            Endpoint = "app",
            ResponseTimeout = timeout ?? Timeout.InfiniteTimeSpan,
            Clock = clock ?? TimeProvider.System,
        };
        return StartAsync(
            application =>
            {
                before?.Invoke(application);
                var logger = application.Services.GetRequiredService<ILogger<RequestForwarder>>();
                var forwarder = new RequestForwarder(destination, rules, logger);
                application.Run(forwarder.ForwardAsync);
            },
            build,
            protocols);
    }

    /// <summary>Every request goes to an application whose connections the test holds.</summary>
    public static Task<GatewayFront> MapAsync(
        ScriptedApplication destination, Action<WebApplicationBuilder>? build = null) => StartAsync(
            web => web.MapFastCgi("/{**path}", "app", options =>
                options.ConfigureHandler = handler => handler.ConnectCallback = destination.ConnectAsync),
            build);

    public static async Task<GatewayFront> StartAsync(
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null,
        HttpProtocols protocols = HttpProtocols.Http1)
    {
        var logs = new LogRecorder();
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.SetMinimumLevel(LogLevel.Debug).AddProvider(logs);
        builder.Services.AddRouting().Configure<HostOptions>(static host => host.ShutdownTimeout = Deadline.Default);
        builder.WebHost.UseKestrel(server => server.Listen(
            IPAddress.Loopback, 0, endpoint => endpoint.Protocols = protocols));
        build?.Invoke(builder);
        var application = builder.Build();
        configure(application);
        await application.StartAsync().Within("the start of Kestrel");
        return new GatewayFront(application, logs);
    }

    /// <summary>A GET that the application has, and the answer to it.</summary>
    public async Task<(ApplicationConnection Connection, Task<HttpResponseMessage> Answering)> BeginAsync(
        ScriptedApplication application,
        HttpCompletionOption completion = HttpCompletionOption.ResponseContentRead)
    {
        var answering = Client.GetAsync("/", completion);
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        return (connection, answering);
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _application.StopAsync(new CancellationToken(canceled: true)).Within("the stop of Kestrel");
        await _application.DisposeAsync().AsTask().Within("the disposal of Kestrel");
        Logs.AssertNoUnexpectedErrors();
    }
}
