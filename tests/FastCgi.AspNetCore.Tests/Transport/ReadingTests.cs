namespace FastCgi.AspNetCore.Tests.Transport;

public class ReadingTests
{
    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task A_thread_kept_by_an_application_does_not_keep_the_next_bytes_from_another(
        TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var release = new Latch();
        var (handler, peer) = harness.Start(socket, connection => new HoldingHandler(connection, release));

        peer.Send("a"u8);
        await handler.Held;
        peer.Send("b"u8);
        await handler.ReceivedAsync(2);
        release.Set();

        Assert.Equal("ab", handler.Text);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task Nothing_is_reported_between_pause_and_resume(TransportKind kind, SocketKind socket)
    {
        // One thread only: the second connection's bytes are served after the first one's event.
        await using var harness = new TransportHarness(kind, workers: 1);
        var (paused, peer) = harness.Start(socket, connection => new PausingHandler(connection));
        var (other, otherPeer) = harness.Start(socket, connection => new RecordingHandler(connection));

        peer.Send("a"u8);
        await paused.ReceivedAsync(1);
        await paused.Paused.Within("the pause");
        peer.Send("b"u8);
        otherPeer.Send("x"u8);
        await other.ReceivedAsync(1);
        Assert.Equal("a", paused.Text);

        paused.Resume();
        await paused.ReceivedAsync(2);
        Assert.Equal("ab", paused.Text);
        Assert.False(paused.WasCalledByResume);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task What_was_left_unread_at_the_pause_is_reported_at_the_resume(TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var (connection, peer) = harness.Connect(socket);
        peer.Send("abcdef"u8);
        var handler = new PausingHandler(connection);

        TransportHarness.Start(connection, handler);
        for (var count = 1; count <= 6; count++)
        {
            await handler.ReceivedAsync(count);
            await handler.Paused.Within("the pause");
            Assert.Equal("abcdef"[..count], handler.Text);
            handler.Resume();
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Resuming_what_was_not_paused_gives_nobody_a_second_role(TransportKind kind)
    {
        await using var harness = new TransportHarness(kind);
        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new EchoHandler(connection));
        using var stop = new CancellationTokenSource();
        var resuming = Task.Run(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                handler.Connection.ResumeReading();
            }
        });

        for (var i = 0; i < 2_000; i++)
        {
            peer.Send("x"u8);
            await EchoTests.ReceiveExactlyAsync(peer, 1).Within("the echo");
        }

        await stop.CancelAsync();
        await resuming.Within("the end of the resuming");
        Assert.False(handler.RoleWasShared);
    }

    private sealed class PausingHandler(TransportConnection connection) : RecordingHandler(connection)
    {
        private volatile TaskCompletionSource _paused = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _resumingThread;

        public Task Paused => _paused.Task;

        public bool WasCalledByResume { get; private set; }

        protected override int BufferSize => 1;

        public override void OnReadable()
        {
            WasCalledByResume |= _resumingThread == Environment.CurrentManagedThreadId;
            base.OnReadable();
        }

        public void Resume()
        {
            _paused = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _resumingThread = Environment.CurrentManagedThreadId;
            Connection.ResumeReading();
            _resumingThread = 0;
        }

        protected override bool OnReceived(ReadOnlySpan<byte> data)
        {
            Connection.PauseReading();
            _paused.TrySetResult();
            return false;
        }
    }
}
