using System.Threading.Channels;
using FastCgi.AspNetCore.Transport.Sockets;

namespace FastCgi.AspNetCore.Tests.Transport.Listening;

public class ListenerTests
{
    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);

    private readonly LogRecorder _log = new();

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public async Task Port_0_is_resolved_and_connections_are_accepted_without_delay(string address)
    {
        using var listener = Bind(new IPEndPoint(IPAddress.Parse(address), 0));
        var accepted = Start(listener);
        Assert.NotEqual(0, ((IPEndPoint)listener.LocalEndPoint).Port);

        using var peer = await ConnectAsync(listener.LocalEndPoint);
        var connection = await NextAsync(accepted);

        Assert.True(Assert.IsType<SocketsConnection>(connection).Socket.NoDelay);
        connection.Close();
        await listener.StopAsync().Within("the stop");
        _log.AssertNoUnexpectedErrors();
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task Any_address_of_IPv6_takes_IPv4_too(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        using var listener = Bind(new IPEndPoint(IPAddress.IPv6Any, 0));
        var accepted = Start(listener, harness.Transport);

        using var peer = await ConnectAsync(
            new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)listener.LocalEndPoint).Port));
        var connection = await NextAsync(accepted);

        var remote = Assert.IsType<IPEndPoint>(connection.RemoteEndPoint);
        Assert.True(remote.Address.IsIPv4MappedToIPv6);
        Assert.Equal(((IPEndPoint)peer.LocalEndPoint!).Port, remote.Port);
        connection.Close();
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task A_connection_knows_both_of_its_ends(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        foreach (var address in (IPAddress[])[IPAddress.Loopback, IPAddress.IPv6Loopback])
        {
            using var listener = Bind(new IPEndPoint(address, 0));
            var accepted = Start(listener, harness.Transport);

            using var peer = await ConnectAsync(listener.LocalEndPoint);
            var connection = await NextAsync(accepted);

            Assert.Equal(listener.LocalEndPoint, connection.LocalEndPoint);
            Assert.Equal(peer.LocalEndPoint, connection.RemoteEndPoint);
            connection.Close();
        }
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task All_that_wait_in_the_backlog_are_accepted_and_served(TransportKind kind)
    {
        const int Waiting = 100;
        await using var harness = new TransportHarness(kind, workers: 1);
        using var listener = Bind(s_anyPort, Waiting);
        var peers = new List<Socket>();
        for (var i = 0; i < Waiting; i++)
        {
            peers.Add(await ConnectAsync(listener.LocalEndPoint));
            peers[i].Send("x"u8);
        }

        listener.Start(harness.Transport, connection => connection.Start(new EchoHandler(connection)));

        foreach (var peer in peers)
        {
            await EchoTests.ReceiveExactlyAsync(peer, 1).Within("the echo");
            peer.Dispose();
        }

        await listener.StopAsync().Within("the stop");
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task Nobody_gets_through_after_the_stop(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        using var listener = Bind();
        var accepted = Start(listener, harness.Transport);
        using var peer = await ConnectAsync(listener.LocalEndPoint);
        (await NextAsync(accepted)).Close();

        await Task.WhenAll(listener.StopAsync(), listener.StopAsync()).Within("both stops");

        var refused = await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(listener.LocalEndPoint));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        Assert.False(accepted.TryRead(out _));
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task The_stop_waits_for_no_application(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        using var listener = Bind();
        var release = new Latch();
        var held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        listener.Start(harness.Transport, connection => connection.Start(new HeldHandler(connection, held, release)));
        using var peer = await ConnectAsync(listener.LocalEndPoint);
        peer.Send("x"u8);
        await held.Task.Within("an application that blocks");

        await listener.StopAsync().Within("the stop");

        release.Set();
        await EchoTests.ReceiveExactlyAsync(peer, 1).Within("the echo");
    }

    [Fact]
    public async Task A_listener_that_was_never_started_stops()
    {
        using var listener = Bind();

        await listener.StopAsync().Within("the stop");
        await listener.StopAsync().Within("the second stop");

        await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(listener.LocalEndPoint));
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task A_connection_that_cannot_be_taken_on_is_closed_and_the_next_one_accepted(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        using var listener = Bind();
        _log.ExpectError(LogEvents.AcceptFailed);
        var accepted = Channel.CreateUnbounded<TransportConnection>();
        var failures = 1;
        listener.Start(harness.Transport, connection =>
        {
            if (failures-- > 0)
            {
                throw new InvalidOperationException("The connection set fails.");
            }

            accepted.Writer.TryWrite(connection);
        });

        using var first = await ConnectAsync(listener.LocalEndPoint);
        Assert.Equal(0, await first.ReceiveAsync(new byte[1]).Within("the end of the stream"));
        using var second = await ConnectAsync(listener.LocalEndPoint);
        (await NextAsync(accepted.Reader)).Close();

        await listener.StopAsync().Within("the stop");
        _log.AssertNoUnexpectedErrors();
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task Accepted_connections_carry_nothing_of_the_starter_s_execution_context(TransportKind kind)
    {
        var ambient = new AsyncLocal<string?> { Value = "of the starter" };
        var seen = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var harness = new TransportHarness(kind);
        using var listener = Bind();
        listener.Start(harness.Transport, connection =>
        {
            connection.Close();
            seen.TrySetResult(ambient.Value);
        });

        using var peer = await ConnectAsync(listener.LocalEndPoint);

        Assert.Null(await seen.Task.Within("the accepted connection"));
    }

    /// <summary>The descriptor of any connection is one of the reserve here.</summary>
    [Theory, ClassData(typeof(OwnTransports))]
    public async Task The_connection_that_takes_the_last_descriptor_is_served_and_the_next_waits(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        using var listener = Bind();
        var accepted = 0;
        listener.Start(
            harness.Transport,
            connection =>
            {
                accepted++;
                connection.Start(new EchoHandler(connection));
            },
            new DescriptorReserve(limit: 2, used: 0));

        using var first = await ConnectAsync(listener.LocalEndPoint);
        first.Send("x"u8);
        await EchoTests.ReceiveExactlyAsync(first, 1).Within("the echo");

        // Before the pause, another thread may take one more.
        await _log.WaitForAsync(LogEvents.AcceptPaused);
        using var second = await ConnectAsync(listener.LocalEndPoint);
        Assert.Equal(1, accepted);

        // It waits for room in vain, and no longer than it may.
        using var noMoreTime = new CancellationTokenSource();
        var stop = listener.StopAsync(noMoreTime.Token);
        await noMoreTime.CancelAsync();
        await stop.Within("the stop");
    }

    private SocketListener Bind(IPEndPoint? endPoint = null, int backlog = 512) => SocketListener.Bind(
        new ListenTarget(endPoint ?? s_anyPort) { Backlog = backlog }, _log.CreateLogger("listener"));

    internal static ChannelReader<TransportConnection> Start(EndpointListener listener, ITransport? transport = null)
    {
        var accepted = Channel.CreateUnbounded<TransportConnection>();
        listener.Start(
            transport ?? new SocketsTransport(NullLogger.Instance), connection => accepted.Writer.TryWrite(connection));
        return accepted.Reader;
    }

    /// <summary>A peer is accepted.</summary>
    internal static async Task AcceptOneAsync(EndpointListener listener, ITransport? transport = null)
    {
        var accepted = Start(listener, transport);
        using var peer = await ConnectAsync(listener.LocalEndPoint);
        (await NextAsync(accepted)).Close();
    }

    internal static Task<TransportConnection> NextAsync(ChannelReader<TransportConnection> accepted) =>
        accepted.ReadAsync().AsTask().Within("the accepted connection");

    internal static Task<Socket> ConnectAsync(EndPoint endPoint)
    {
        var protocol = endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified;
        return new Socket(endPoint.AddressFamily, SocketType.Stream, protocol)
            .StartedAsync(socket => socket.ConnectAsync(endPoint).Within("the connect"));
    }

    private sealed class HeldHandler(
        TransportConnection connection, TaskCompletionSource held, Latch release) : EchoHandler(connection)
    {
        public override void OnReadable()
        {
            held.TrySetResult();
            release.Wait();
            base.OnReadable();
        }
    }
}
