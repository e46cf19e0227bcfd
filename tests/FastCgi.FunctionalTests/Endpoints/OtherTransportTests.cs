using Microsoft.AspNetCore.Connections;

namespace FastCgi.FunctionalTests.Endpoints;

/// <summary>Endpoints of a transport that the application registers.</summary>
public sealed class OtherTransportTests : FunctionalTest
{
    private static readonly byte[] s_large = RandomBytes(3_000_000, seed: 3_000_000);

    [Fact]
    public async Task Requests_are_answered_one_after_the_other()
    {
        var peer = await StartAndConnectAsync(ServerTransport.OtherOnUnix, EchoAsync);

        foreach (var size in new[] { 0, 1, 16_384, 100_000, s_large.Length })
        {
            var response = await peer.RoundTripAsync(Post(s_large[..size]));
            Assert.Equal(200, response.StatusCode);
            Assert.Equal(s_large[..size], response.Body);
        }
    }

    [Fact]
    public async Task A_slow_reader_holds_up_the_application()
    {
        var peer = await StartAndConnectAsync(ServerTransport.OtherOnUnix, async context =>
        {
            await context.Response.Body.WriteAsync(s_large);
            await context.Response.Body.WriteAsync(s_large);
            Left.Reach();
        });

        await peer.SendRequestAsync(Get());
        var start = await peer.ExpectResponseStartAsync();
        Assert.False(Left.IsReached);

        var rest = await peer.ExpectResponseAsync();
        var head = start.Stdout.Length - start.Body.Length;
        Assert.Equal(head + (2 * s_large.Length), start.Stdout.Length + rest.Stdout.Length);
    }

    [Fact]
    public async Task A_peer_that_leaves_aborts_its_request()
    {
        var peer = await StartAndEnterAsync(ServerTransport.OtherOnUnix, WaitForAbortAsync, Get());

        await peer.DisposeAsync();

        await Aborted.WaitAsync();
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    public async Task A_stop_lets_requests_end_and_takes_no_more()
    {
        var peer = await StartAndEnterAsync(ServerTransport.OtherOnUnix, async context =>
        {
            await WaitAsync(context);
            await context.Response.WriteAsync("late");
        }, Get());

        var stop = Server.StopAsync();
        await Assert.ThrowsAnyAsync<SocketException>(RefusedAsync);
        Assert.False(stop.IsCompleted);
        GoOn.Reach();

        Assert.Equal("late", (await peer.ExpectResponseAsync()).BodyText);
        await peer.ExpectClosedAsync();
        await stop.Within("the stop");
    }

    [Fact]
    public async Task A_reset_request_breaks_its_connection()
    {
        var peer = await StartAndConnectAsync(ServerTransport.OtherOnUnix, Run(context =>
            context.Features.Get<IHttpRequestLifetimeFeature>()!.Abort()));

        await peer.SendRequestAsync(Get());

        await peer.ExpectClosedAsync();
    }

    [Fact]
    public async Task An_endpoint_that_no_transport_takes_keeps_the_server_from_starting()
    {
        var failure = await Assert.ThrowsAsync<IOException>(() => StartAsync(
            ServerTransport.SocketsOnTcp, EchoAsync, options => options.Listen(new DnsEndPoint("nowhere", 9000))));

        Assert.Contains("nowhere:9000", failure.Message, StringComparison.Ordinal);
        Assert.Contains("no transport takes a DnsEndPoint", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transport_that_cannot_bind_keeps_the_server_from_starting()
    {
        var failure = await Assert.ThrowsAsync<IOException>(() => StartAsync(
            ServerTransport.OtherOnUnix,
            EchoAsync,
            options => options.Listen(new OtherEndPoint("/there/is/no/such/directory/s"))));

        Assert.Contains("unix:/there/is/no/such/directory/s", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transport_that_no_endpoint_needs_is_not_made()
    {
        var isMade = false;
        await StartAsync(ServerTransport.SocketsOnTcp, EchoAsync, configure: builder =>
            builder.Services.AddSingleton<IConnectionListenerFactory>(_ =>
            {
                isMade = true;
                return new OtherTransport();
            }));

        Assert.False(isMade);
    }

    [Fact]
    public async Task A_listener_that_others_can_reach_is_closed_again()
    {
        var transport = new OpenTransport();

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            ServerTransport.OtherOnUnix,
            EchoAsync,
            configure: builder => builder.Services.AddSingleton<IConnectionListenerFactory>(transport)));

        Assert.Contains("can be reached from other machines", failure.Message, StringComparison.Ordinal);
        Assert.True(transport.IsClosed);
    }

    [Fact]
    public async Task A_list_of_clients_is_refused_where_clients_have_no_address()
    {
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            ServerTransport.OtherOnUnix,
            EchoAsync,
            options => options.Listen(new OtherEndPoint("/x"), listen => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.1/32")))));

        Assert.Contains("AllowedClients has no effect", failure.Message, StringComparison.Ordinal);
    }

    /// <summary>Listens beyond loopback, whatever it is asked for.</summary>
    private sealed class OpenTransport : IConnectionListenerFactory, IConnectionListener
    {
        public bool IsClosed { get; private set; }

        public EndPoint EndPoint { get; } = new IPEndPoint(IPAddress.Any, 9000);

        public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
            ValueTask.FromResult<IConnectionListener>(this);

        public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask DisposeAsync()
        {
            IsClosed = true;
            return default;
        }
    }
}
