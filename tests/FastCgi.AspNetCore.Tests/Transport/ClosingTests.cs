namespace FastCgi.AspNetCore.Tests.Transport;

public class ClosingTests
{
    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task Every_call_after_a_close_returns_and_says_that_the_socket_is_lost(
        TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(socket, connection => new ClosingHandler(connection));

        peer.Send("x"u8);

        await handler.Done.Within("the calls of the handler");
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_connection_closed_from_several_threads_in_traffic_is_closed_once(
        TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        for (var i = 0; i < 100; i++)
        {
            var (handler, peer) = harness.Start(socket, connection => new EchoHandler(connection));
            peer.Send("x"u8);
            var closing = Enumerable.Range(0, 4).Select(_ => Task.Run(handler.Connection.Close));
            await Task.WhenAll(closing).Within("all closers");

            // Other connections get the freed descriptor and slot at once, and must not see anything of it.
            var (_, next) = harness.Start(socket, connection => new EchoHandler(connection));
            next.Send("y"u8);
            var echoed = await EchoTests.ReceiveExactlyAsync(next, 1).Within("the echo of the next");
            Assert.Equal("y"u8, echoed);
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_connection_may_be_closed_before_its_start(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (connection, peer) = harness.Connect(SocketKind.Unix);

        connection.Close();

        Assert.Equal(0, await peer.ReceiveAsync(new byte[1]).Within("the end of the stream"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Both_ends_have_names_on_TCP_and_the_peer_of_a_unix_socket_has_none(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (tcp, peer) = harness.Connect(SocketKind.Tcp);
        Assert.Equal(peer.RemoteEndPoint, tcp.LocalEndPoint);
        Assert.Equal(peer.LocalEndPoint, tcp.RemoteEndPoint);
        Assert.IsType<IPEndPoint>(tcp.RemoteEndPoint);

        var (unix, _) = harness.Connect(SocketKind.Unix);
        Assert.NotNull(unix.LocalEndPoint);
        Assert.Null(unix.RemoteEndPoint);
    }

    [Theory, ClassData(typeof(OwnTransports))]
    public async Task The_peer_of_a_closed_connection_has_no_name(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (tcp, _) = harness.Connect(SocketKind.Tcp);
        var (closed, _) = harness.Connect(SocketKind.Tcp);
        closed.Close();
        Assert.Null(closed.RemoteEndPoint);
        // The listener's, which it shares.
        Assert.Equal(tcp.LocalEndPoint?.AddressFamily, closed.LocalEndPoint?.AddressFamily);
    }

    private sealed class ClosingHandler(TransportConnection connection) : RecordingHandler(connection)
    {
        private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Done => _done.Task;

        public override void OnReadable()
        {
            try
            {
                Connection.Close();
                Connection.Close();
                Assert.Equal(TransportConnection.Reset, Connection.Receive(new byte[8]));
                Assert.Equal(TransportConnection.Reset, Connection.Send(new byte[8]));
                Assert.True(Connection.IsPeerGone());
                Connection.ShutdownSend();
                Assert.True(Connection.TryEndReading());
                Connection.PauseReading();
                Connection.ResumeReading();
                _done.TrySetResult();
            }
            catch (Exception exception)
            {
                _done.TrySetException(exception);
            }
        }
    }
}
