namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

/// <summary>One connection on a set that does as the test says, without threads.</summary>
[SupportedOSPlatform("linux")]
public class EpollConnectionTests
{
    private const int NoSpace = 28;
    private const int LargeSize = 64 * 1024;

    private readonly LogRecorder _log = new();
    private readonly ScriptedSet _set = new();

    [Fact]
    public async Task A_connection_that_the_system_does_not_watch_is_closed_and_reported()
    {
        _set.Error = NoSpace;
        _log.ExpectError(LogEvents.RegistrationFailed);

        var (handler, peer) = Start();

        await handler.Gone;
        Assert.Equal(0, await peer.ReceiveAsync(new byte[1]).Within("the end of the stream"));
        _log.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task A_send_for_whose_room_the_system_does_not_watch_completes_as_failed()
    {
        var (handler, _) = Start();
        Fill(handler.Connection);
        _set.Error = NoSpace;
        _log.ExpectError(LogEvents.RegistrationFailed);

        handler.Connection.SendLater("later"u8.ToArray());

        Assert.False(await handler.SendCompletedAsync());
        await handler.Gone;
        _log.AssertNoUnexpectedErrors();
    }

    /// <summary>No thread pool is involved, which applications may hold all of.</summary>
    [Fact]
    public async Task While_what_waited_for_a_send_keeps_its_thread_another_event_reads()
    {
        var goOn = new Latch();
        var (handler, peer) = Start(connection => new BlockingHandler(connection, goOn));
        var filled = Fill(handler.Connection);
        handler.Connection.SendLater("z"u8.ToArray());
        await EchoTests.ReceiveExactlyAsync(peer, filled).Within("what filled the socket");
        peer.Send("ab"u8);
        var connection = (EpollConnection)handler.Connection;

        var blocked = Task.Factory.StartNew(
            () => connection.OnEvents(EpollEvents.Readable | EpollEvents.Writable), TaskCreationOptions.LongRunning);
        await handler.Blocked.Within("the completion that blocks");
        var armed = _set.Calls;
        Assert.InRange(armed, 3, int.MaxValue);
        Assert.Equal("", handler.Text);

        // The set reports again what there is to read.
        connection.OnEvents(EpollEvents.Readable);
        Assert.Equal("ab", handler.Text);
        goOn.Set();
        await blocked.Within("the thread that was kept");
    }

    [Fact]
    public void A_hang_up_with_nothing_to_send_is_read_to_the_end_on_the_same_thread()
    {
        var (handler, peer) = Start();
        handler.Connection.ReadToEnd();
        peer.Send("last"u8);
        peer.Dispose();

        ((EpollConnection)handler.Connection).OnEvents(
            EpollEvents.Readable | EpollEvents.EndOfInput | EpollEvents.HangUp);

        Assert.Equal("last", handler.Text);
        Assert.True(handler.EndOfInputWasRead);
    }

    /// <summary>The heartbeat asks while an upgraded connection waits for its application.</summary>
    [Theory, InlineData(SocketKind.Tcp), InlineData(SocketKind.Unix)]
    public void After_a_hang_up_a_peer_that_is_read_to_the_end_is_there_until_all_is_read(SocketKind kind)
    {
        var (handler, peer) = Start(static connection => new RecordingHandler(connection), kind, isHeld: true);
        var connection = (EpollConnection)handler.Connection;
        connection.ReadToEnd();
        connection.PauseReading();
        peer.Send("last"u8);
        peer.Dispose();
        var events = EpollEvents.Readable | EpollEvents.EndOfInput;
        connection.OnEvents(kind == SocketKind.Unix ? events | EpollEvents.HangUp : events);
        Assert.False(connection.IsPeerGone());

        connection.ResumeReading();
        connection.OnEvents(events);
        Assert.Equal("last", handler.Text);
        Assert.True(connection.IsPeerGone());
    }

    /// <summary>The entry costs a system call, and so does the exit at the close.</summary>
    [Fact]
    public void A_connection_that_closes_before_its_reading_goes_on_never_enters_the_set()
    {
        var (handler, _) = Start(static connection => new RecordingHandler(connection), isHeld: true);
        Assert.True(handler.Connection.TryDeferReading());
        handler.Connection.Close();
        handler.Connection.ResumeReading();
        Assert.Equal(0, _set.Calls);
    }

    [Fact]
    public void Reading_that_was_deferred_goes_on_with_the_next_event()
    {
        var (handler, peer) = Start(static connection => new RecordingHandler(connection), isHeld: true);
        var connection = (EpollConnection)handler.Connection;
        Assert.True(connection.TryDeferReading());
        peer.Send("ab"u8);
        connection.OnEvents(EpollEvents.Readable);
        Assert.Equal("", handler.Text);

        connection.ResumeReading();
        connection.ResumeReading();
        Assert.Equal(1, _set.Calls);
        connection.OnEvents(EpollEvents.Readable);
        Assert.Equal("ab", handler.Text);
        Assert.False(connection.TryDeferReading());
    }

    /// <summary>Beyond that, what a web server has not read leaves the processor's cache, and records are cut.</summary>
    [Fact]
    public async Task A_unix_socket_holds_two_large_records_and_no_part_of_a_third()
    {
        var (handler, peer) = Start();
        var filled = Fill(handler.Connection, LargeSize);
        Assert.Equal(SocketDescriptor.UnixSendWindow, filled);
        Assert.Equal(TransportConnection.WouldBlock, handler.Connection.SendGathered([], new byte[LargeSize], []));
        Assert.Equal(10, handler.Connection.Send(new byte[10]));

        await EchoTests.ReceiveExactlyAsync(peer, filled + 10).Within("what filled the socket");
        Assert.Equal(LargeSize, handler.Connection.Send(new byte[LargeSize]));
    }

    /// <summary>There the system itself finds out how much is on its way.</summary>
    [Fact]
    public void A_tcp_socket_holds_what_the_system_takes()
    {
        var (handler, _) = Start(static connection => new RecordingHandler(connection), SocketKind.Tcp);
        Assert.InRange(Fill(handler.Connection, LargeSize), 2 * SocketDescriptor.UnixSendWindow, int.MaxValue);
    }

    private static int Fill(TransportConnection connection, int size = 10_000)
    {
        var chunk = new byte[size];
        var filled = 0;
        while (connection.Send(chunk) is var sent && sent != TransportConnection.WouldBlock)
        {
            Assert.NotEqual(TransportConnection.Reset, sent);
            filled += sent;
        }

        return filled;
    }

    private (RecordingHandler Handler, Socket Peer) Start() =>
        Start(static connection => new RecordingHandler(connection));

    private (T Handler, Socket Peer) Start<T>(
        Func<TransportConnection, T> make, SocketKind kind = SocketKind.Unix, bool isHeld = false)
        where T : ITransportHandler
    {
        var targets = new EpollTargets(_set);
        var (peer, connection) = SocketPair.Connect(
            kind,
            listener => new EpollConnection(
                SocketDescriptor.TryAccept(listener.SafeHandle, out _)!,
                listener.LocalEndPoint!,
                targets,
                _log.CreateLogger("transport")));
        var handler = make(connection);
        connection.Start(handler);
        if (!isHeld)
        {
            connection.Watch();
        }

        return (handler, peer);
    }

    private sealed class BlockingHandler(TransportConnection connection, Latch goOn)
        : RecordingHandler(connection)
    {
        private readonly TaskCompletionSource _blocked = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Blocked => _blocked.Task;

        public override void OnSendCompleted(bool succeeded)
        {
            _blocked.TrySetResult();
            goOn.Wait();
        }
    }
}
