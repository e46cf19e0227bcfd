namespace FastCgi.AspNetCore.Tests.Transport;

public class SendLaterTests
{
    private const int LaterSize = 700_000;

    /// <summary>No system keeps so much for a peer that does not read, whatever room there is behind a first refusal.</summary>
    private const int NeverTaken = 32 * 1024 * 1024;

    public static MatrixTheoryData<TransportKind, SocketKind, int> ReadSizes =>
        new(Transports.All, Enum.GetValues<SocketKind>(), [13, 1_000, 4_099, 100_000]);

    [Theory, MemberData(nameof(ReadSizes))]
    public async Task A_slow_reader_gets_every_byte_in_order_wherever_the_socket_was_full(
        TransportKind kind, SocketKind socket, int readSize)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(socket, connection => new RecordingHandler(connection));
        var filled = Fill(handler.Connection);
        var later = EchoTests.Pattern(LaterSize);

        handler.Connection.SendLater(later);
        var received = new byte[filled.Length + later.Length];
        var reading = Task.Factory.StartNew(
            () =>
            {
                for (var position = 0; position < received.Length;)
                {
                    var count = Math.Min(readSize, received.Length - position);
                    position += peer.Receive(received.AsSpan(position, count));
                }
            },
            TaskCreationOptions.LongRunning);
        await reading.Within("all bytes", deadline: TimeSpan.FromSeconds(30));

        Assert.True(await handler.SendCompletedAsync());
        Assert.Equal(filled, received[..filled.Length]);
        Assert.Equal(later, received[filled.Length..]);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_send_that_has_room_completes_and_never_on_the_stack_of_its_caller(
        TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(socket, connection => new StackHandler(connection));

        for (var i = 0; i < 100; i++)
        {
            handler.SendLater("abc"u8.ToArray());
            Assert.True(await handler.SendCompletedAsync());
            await EchoTests.ReceiveExactlyAsync(peer, 3).Within("what was sent");
        }

        Assert.False(handler.WasCalledBySend);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task Reading_goes_on_while_a_send_waits_for_room(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = StartWaitingForRoom(harness, socket);

        peer.Send("ab"u8);
        await handler.ReceivedAsync(2);
        peer.Send("cd"u8);
        await handler.ReceivedAsync(4);

        Assert.Equal("abcd", handler.Text);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task Closing_fails_a_send_that_waits_for_room(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, _) = StartWaitingForRoom(harness, socket);

        handler.Connection.Close();

        Assert.False(await handler.SendCompletedAsync());
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_send_on_a_closed_connection_completes_as_failed(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, _) = harness.Start(socket, connection => new RecordingHandler(connection));
        handler.Connection.Close();

        handler.Connection.SendLater("abc"u8.ToArray());

        Assert.False(await handler.SendCompletedAsync());
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_peer_that_leaves_fails_a_send_that_waits_for_room(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = StartWaitingForRoom(harness, socket);

        peer.CloseByReset();

        Assert.False(await handler.SendCompletedAsync());
        Assert.Equal(TransportConnection.Reset, handler.Connection.Send("x"u8));
    }

    private static (RecordingHandler Handler, Socket Peer) StartWaitingForRoom(
        TransportHarness harness, SocketKind socket)
    {
        var (handler, peer) = harness.Start(socket, connection => new RecordingHandler(connection));
        Fill(handler.Connection);
        handler.Connection.SendLater(new byte[NeverTaken]);
        return (handler, peer);
    }

    /// <summary>Sends until the socket has no room; what it took.</summary>
    private static byte[] Fill(TransportConnection connection)
    {
        var pattern = EchoTests.Pattern(10_000_000);
        var sent = 0;
        while (connection.Send(pattern.AsSpan(sent)) is var count && count != TransportConnection.WouldBlock)
        {
            Assert.NotEqual(TransportConnection.Reset, count);
            sent += count;
        }

        Assert.InRange(sent, 1, pattern.Length - 1);
        return pattern[..sent];
    }

    private sealed class StackHandler(TransportConnection connection) : RecordingHandler(connection)
    {
        private int _sendingThread;

        public bool WasCalledBySend { get; private set; }

        public void SendLater(byte[] data)
        {
            _sendingThread = Environment.CurrentManagedThreadId;
            Connection.SendLater(data);
            _sendingThread = 0;
        }

        public override void OnSendCompleted(bool succeeded)
        {
            WasCalledBySend |= _sendingThread == Environment.CurrentManagedThreadId;
            base.OnSendCompleted(succeeded);
        }
    }
}
