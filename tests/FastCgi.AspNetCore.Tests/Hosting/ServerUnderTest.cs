using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Tests.Hosting;

/// <summary>A server of its own, on a free port unless its options say otherwise, with its logs.</summary>
internal sealed class ServerUnderTest : IAsyncDisposable
{
    private readonly ServiceProvider _services;

    public ServerUnderTest(
        Action<FastCgiServerOptions>? configure = null,
        LaunchContext? launch = null,
        Action<IServiceCollection>? services = null)
    {
        var collection = new ServiceCollection();
        collection.AddLogging(logging => logging.SetMinimumLevel(LogLevel.Trace).AddProvider(Logs));
        collection.AddSingleton(launch ?? Launch());
        services?.Invoke(collection);
        _services = collection.BuildServiceProvider();
        var options = new FastCgiServerOptions { ApplicationServices = _services };
        (configure ?? (static options => options.Listen(IPAddress.Loopback, 0)))(options);
        Options = options.GetEndpoints();
        Server = new FastCgiServer(Microsoft.Extensions.Options.Options.Create(options), _services.GetRequiredService<ILoggerFactory>(), _services);
    }

    public FastCgiServer Server { get; }

    /// <summary>The endpoints that code has named.</summary>
    public IReadOnlyList<FastCgiListenOptions> Options { get; }

    public LogRecorder Logs { get; } = new();

    public IServerAddressesFeature Addresses => Server.Features.Get<IServerAddressesFeature>()!;

    /// <summary>A process to which nobody passed anything, or these variables and this descriptor.</summary>
    public static LaunchContext Launch(
        IReadOnlyDictionary<string, string>? variables = null, ulong? listeningDescriptor = null) =>
        new(
            name => variables?.GetValueOrDefault(name),
            descriptor => descriptor == listeningDescriptor
                ? new IPEndPoint(IPAddress.Loopback, 9000)
                : InheritedSockets.ReadAddress(descriptor));

    public static async Task<ServerUnderTest> StartNewAsync(
        Action<FastCgiServerOptions>? configure = null, LaunchContext? launch = null, RequestDelegate? handler = null)
    {
        var server = new ServerUnderTest(configure, launch);
        await server.StartAsync(handler);
        return server;
    }

    /// <summary>The start fails, and says this.</summary>
    public static async Task AssertStartFailsAsync<TException>(
        Action<FastCgiServerOptions> configure, params IEnumerable<string> reasons)
        where TException : Exception
    {
        await using var server = new ServerUnderTest(configure);
        var exception = await Assert.ThrowsAsync<TException>(() => server.StartAsync());
        Assert.All(reasons, reason => Assert.Contains(reason, exception.Message, StringComparison.Ordinal));
    }

    public Task StartAsync(RequestDelegate? handler = null, CancellationToken cancellationToken = default) =>
        Server.StartAsync(
            handler is null ? DelegateApplication.Hello : new DelegateApplication(handler), cancellationToken);

    /// <summary>Starts with a handler that a request is in.</summary>
    public async Task<ScriptedPeer> StartAndEnterAsync(RequestDelegate handler)
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await StartAsync(context =>
        {
            entered.SetResult();
            return handler(context);
        });
        var peer = await ConnectAsync();
        await peer.SendRequestAsync();
        await entered.Task.Within("the request in the application");
        return peer;
    }

    public Task<ScriptedPeer> ConnectAsync()
    {
        string address = Assert.Single(Addresses.Addresses);
        return ScriptedPeer.ConnectAsync(IPEndPoint.Parse(address["fastcgi://".Length..]));
    }

    public async ValueTask DisposeAsync()
    {
        await Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop of the server");
        await _services.DisposeAsync();
        Logs.AssertNoUnexpectedErrors();
    }
}
