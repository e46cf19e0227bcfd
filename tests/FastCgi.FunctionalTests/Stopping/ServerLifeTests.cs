using FastCgi.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.Options;

namespace FastCgi.FunctionalTests.Stopping;

/// <summary>The server as a host drives it, and as a host should not: the order of start, stop and dispose.</summary>
public sealed class ServerLifeTests : FunctionalTest
{
    private IServer TheServer => Server.Services.GetRequiredService<IServer>();

    [Fact]
    public async Task A_second_start_is_refused_and_the_first_serves_on()
    {
        var peer = await StartAndConnectAsync(ServeAsync);

        await Assert.ThrowsAsync<InvalidOperationException>(
            () => TheServer.StartAsync(new NoApplication(), TestContext.Current.CancellationToken));

        await AssertServesAsync(peer);
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_second_stop_ends_with_the_first(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, ServeAsync);
        await AssertServesAsync(peer);

        var stops = Enumerable.Range(0, 8)
            .Select(_ => Task.Run(() => TheServer.StopAsync(CancellationToken.None)))
            .ToArray();
        await Task.WhenAll(stops).Within("all stops");
        await TheServer.StopAsync(CancellationToken.None).Within("one more stop");

        await peer.ExpectEndOfStreamAsync();
        await AssertRefusedAsync(transport);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_stopped_server_does_not_start_again(ServerTransport transport)
    {
        await StartAsync(transport, ServeAsync);
        await TheServer.StopAsync(CancellationToken.None).Within("the stop");

        await Assert.ThrowsAsync<InvalidOperationException>(
            () => TheServer.StartAsync(new NoApplication(), TestContext.Current.CancellationToken));

        await AssertRefusedAsync(transport);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_dispose_without_a_stop_aborts_what_runs(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, ServeAsync, Get("/wait"));

        await Task.Run(((IDisposable)TheServer).Dispose, TestContext.Current.CancellationToken).Within("the disposal");

        await Aborted.WaitAsync();
        Assert.Empty(await peer.ExpectClosedAsync());
        await AssertRefusedAsync(transport);
    }

    [Fact]
    public async Task A_stop_before_the_start_leaves_nothing_to_start()
    {
        var options = new FastCgiServerOptions();
        options.ListenUnixSocket(Path.Combine(Folder, "app.sock"));
        await using var services = new ServiceCollection().BuildServiceProvider();
        using var logs = new LogRecorder();
        using var loggers = new LoggerFactory([logs]);
        await using var server = new FastCgiServer(Options.Create(options), loggers, services);

        await server.StopAsync(CancellationToken.None).Within("the stop");
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => server.StartAsync(new NoApplication(), TestContext.Current.CancellationToken));

        Assert.Empty(Directory.GetFileSystemEntries(Folder));
        logs.AssertNoUnexpectedErrors();
    }

    private async Task AssertRefusedAsync(ServerTransport transport)
    {
        if (transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix)
        {
            Assert.False(File.Exists(Server.Address["fastcgi://unix:".Length..]));
        }

        await Assert.ThrowsAnyAsync<SocketException>(() => Server.ConnectAsync());
    }

    private Task ServeAsync(HttpContext context) =>
        context.Request.Path == "/wait" ? WaitForAbortAsync(context) : Task.CompletedTask;

    private sealed class NoApplication : IHttpApplication<IFeatureCollection>
    {
        public IFeatureCollection CreateContext(IFeatureCollection contextFeatures) => contextFeatures;

        public Task ProcessRequestAsync(IFeatureCollection context) => Task.CompletedTask;

        public void DisposeContext(IFeatureCollection context, Exception? exception)
        {
        }
    }
}
