namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

[SupportedOSPlatform("linux")]
public class EpollTransportTests
{
    // So much time between two ticks that the processors were idle, whatever other tests do.
    private static readonly TimeSpan LongTick = TimeSpan.FromHours(1);

    private readonly LogRecorder _log = new();

    [Fact]
    public async Task The_number_of_threads_is_one_to_begin_with_or_what_was_asked_for()
    {
        var byDefault = new EpollTransport(_log.CreateLogger(""));
        var pinned = new EpollTransport(_log.CreateLogger(""), workerCount: 3);

        Assert.Equal(1, byDefault.WorkerCount);
        Assert.Equal(3, pinned.WorkerCount);
        Assert.Throws<ArgumentOutOfRangeException>(() => new EpollTransport(_log.CreateLogger(""), workerCount: 0));

        await EndAsync(byDefault);
        await EndAsync(pinned);
        Assert.Equal(0, pinned.WorkerCount);
    }

    [Fact]
    public async Task When_applications_hold_all_threads_others_are_added_and_leave_again()
    {
        var transport = new EpollTransport(_log.CreateLogger(""));
        using var release = new ManualResetEventSlim();
        var held = Enumerable.Range(0, transport.BaseWorkerCount)
            .Select(_ => Start(transport, connection => new HoldingHandler(connection, release)))
            .ToList();
        foreach (var (handler, peer) in held)
        {
            peer.Send("x"u8);
            await handler.Held.Within("an application that blocks");
        }

        var (_, served) = Start(transport, connection => new EchoHandler(connection));
        served.Send("y"u8);
        var threads = transport.Crew;
        threads.OnTick(LongTick);
        threads.OnTick(LongTick);

        await EchoTests.ReceiveExactlyAsync(served, 1).Within("the echo by a thread that was added");
        Assert.True(transport.WorkerCount > transport.BaseWorkerCount);

        release.Set();
        Assert.True(
            SpinWait.SpinUntil(() => transport.WorkerCount == transport.BaseWorkerCount, Deadline.Default),
            $"{transport.WorkerCount} threads are left.");
        held.ForEach(one => one.Handler.Connection.Close());
        await EndAsync(transport);
    }

    [Fact]
    public async Task The_monitor_adds_a_thread_by_itself_when_applications_hold_all_of_them()
    {
        var transport = new EpollTransport(_log.CreateLogger(""));
        using var release = new ManualResetEventSlim();
        var held = Enumerable.Range(0, transport.BaseWorkerCount)
            .Select(_ => Start(transport, connection => new InlineRunHandler(connection, release)))
            .ToList();
        held.ForEach(one => one.Peer.Send("x"u8));
        await Task.WhenAll(held.Select(one => one.Handler.Held)).Within("applications on all threads");

        // Nobody releases the threads before another connection is served.
        var (_, served) = Start(transport, connection => new EchoHandler(connection));
        served.Send("y"u8);
        await EchoTests.ReceiveExactlyAsync(served, 1).Within("the echo by a thread that was added");

        release.Set();
        held.ForEach(one => one.Handler.Connection.Close());
        await EndAsync(transport);
    }

    /// <summary>One thread may fetch several events at a time, and the application of the first keeps it.</summary>
    [Fact]
    public async Task What_a_held_thread_has_fetched_besides_is_served_by_another()
    {
        var transport = new EpollTransport(_log.CreateLogger(""), workerCount: 2);
        var threads = transport.Crew;
        using var releaseFirst = new ManualResetEventSlim();
        using var releaseSecond = new ManualResetEventSlim();
        using var releaseLast = new ManualResetEventSlim();
        var first = await HoldAThreadAsync(transport, releaseFirst);
        var second = await HoldAThreadAsync(transport, releaseSecond);
        var (last, lastPeer) = Start(transport, connection => new HoldingHandler(connection, releaseLast));
        var others = Enumerable.Range(0, EpollBatch.MaxSize - 1)
            .Select(_ => Start(transport, connection => new EchoHandler(connection)))
            .ToList();
        lastPeer.Send("x"u8);
        others.ForEach(other => other.Peer.Send("y"u8));

        threads.OnTick(TimeSpan.Zero);
        releaseFirst.Set();
        await last.Held.Within("the application that keeps the thread that fetched");
        releaseSecond.Set();
        threads.OnTick(LongTick);

        foreach (var (_, peer) in others)
        {
            await EchoTests.ReceiveExactlyAsync(peer, 1).Within("the echo of an event that was given back");
        }

        Assert.False(releaseLast.IsSet);
        releaseLast.Set();
        foreach (var handler in (HoldingHandler[])[first, second, last])
        {
            handler.Connection.Close();
        }

        await EndAsync(transport);
    }

    [Theory]
    [InlineData(1, 50, EpollBatch.MaxSize)]
    [InlineData(1, 49, 1)]
    [InlineData(2, 100, EpollBatch.MaxSize)]
    [InlineData(2, 99, 1)]
    [InlineData(1, 0, 1)]
    public void Events_are_fetched_together_while_runs_take_a_tenth_of_a_millisecond_at_most(
        int workers, int ended, int size) =>
        Assert.Equal(
            size,
            EpollBatch.SizeFor(WorkerHiring.AreShort(workers, ended, TimeSpan.FromMilliseconds(5))));

    [Fact]
    public async Task The_transport_ends_only_when_the_application_has_left_its_thread()
    {
        var transport = new EpollTransport(_log.CreateLogger(""), workerCount: 1);
        using var release = new ManualResetEventSlim();
        var (handler, peer) = Start(transport, connection => new HoldingHandler(connection, release));
        peer.Send("x"u8);
        await handler.Held.Within("an application that blocks");
        handler.Connection.Close();

        transport.Dispose();
        Assert.False(transport.Ended.IsCompleted);

        release.Set();
        await EndAsync(transport);
    }

    [Fact]
    public async Task An_event_of_a_closed_connection_does_not_reach_the_next_owner_of_its_slot()
    {
        var transport = new EpollTransport(_log.CreateLogger(""), workerCount: 1);
        var table = new EpollTargets();
        var first = Accept(transport);
        var second = Accept(transport);

        table.Add(first);
        var old = first.Token;
        Assert.Same(first, table.Find(old));
        table.Remove(first);
        Assert.Null(table.Find(old));

        table.Add(second);
        Assert.Equal((uint)old, (uint)second.Token);
        Assert.Null(table.Find(old));
        Assert.Same(second, table.Find(second.Token));

        // A late close of the first owner leaves the second one alone.
        table.Remove(first);
        Assert.Same(second, table.Find(second.Token));
        Assert.Null(table.Find(EpollSet.WakeToken));

        first.Close();
        second.Close();
        await EndAsync(transport);
    }

    [Fact]
    public async Task The_table_finds_every_connection_after_it_has_grown()
    {
        var transport = new EpollTransport(_log.CreateLogger(""), workerCount: 1);
        var table = new EpollTargets();
        var connections = Enumerable.Range(0, 200).Select(_ => Accept(transport)).ToList();

        connections.ForEach(table.Add);

        Assert.All(connections, connection => Assert.Same(connection, table.Find(connection.Token)));
        connections.ForEach(connection => connection.Close());
        await EndAsync(transport);
    }

    [Fact]
    public async Task A_request_costs_the_transport_no_allocation()
    {
        var transport = new EpollTransport(_log.CreateLogger(""), workerCount: 1);
        var (handler, peer) = Start(transport, connection => new MeasuringHandler(connection));
        var answer = new byte[1];

        for (var i = 0; i < 500; i++)
        {
            peer.Send("x"u8);
            Assert.Equal(1, await peer.ReceiveAsync(answer).Within("the answer"));
        }

        // The runtime allocates now and then when it recompiles what is hot; the transport would at each request.
        Assert.InRange(handler.Measured, 350, 500);
        Assert.InRange(handler.ThatAllocated, 0, 10);
        handler.Connection.Close();
        await EndAsync(transport);
    }

    private async Task<HoldingHandler> HoldAThreadAsync(EpollTransport transport, ManualResetEventSlim release)
    {
        var (handler, peer) = Start(transport, connection => new HoldingHandler(connection, release));
        peer.Send("x"u8);
        await handler.Held.Within("an application that blocks");
        return handler;
    }

    private EpollConnection Accept(EpollTransport transport)
    {
        var (peer, connection) = SocketPair.Connect(
            SocketKind.Unix, listener => TransportHarness.Accept(transport, listener, _log.CreateLogger("")));
        peer.Dispose();
        return connection;
    }

    private (T Handler, Socket Peer) Start<T>(EpollTransport transport, Func<TransportConnection, T> make)
        where T : ITransportHandler
    {
        var (peer, connection) = SocketPair.Connect(
            SocketKind.Unix, listener => TransportHarness.Accept(transport, listener, _log.CreateLogger("")));
        var handler = make(connection);
        TransportHarness.Start(connection, handler);
        return (handler, peer);
    }

    private async Task EndAsync(EpollTransport transport)
    {
        transport.Dispose();
        await transport.Ended.Within("the end of the transport's threads");
        _log.AssertNoUnexpectedErrors();
    }

    private class HoldingHandler(TransportConnection connection, ManualResetEventSlim release)
        : RecordingHandler(connection)
    {
        private readonly TaskCompletionSource _held = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Held => _held.Task;

        public override void OnReadable()
        {
            base.OnReadable();
            _held.TrySetResult();
            release.Wait(Deadline.Default);
        }
    }

    private sealed class InlineRunHandler(TransportConnection connection, ManualResetEventSlim release)
        : HoldingHandler(connection, release), IInlineRun
    {
        public override void OnReadable()
        {
            InlineRuns.Begin(this);
            base.OnReadable();
            InlineRuns.End();
        }

        public void OnStillRunning()
        {
        }
    }

    /// <summary>Counts what its thread allocates from one report to the next, the transport's part included.</summary>
    private sealed class MeasuringHandler(TransportConnection connection) : ITransportHandler
    {
        private const int WarmUp = 100;

        private readonly byte[] _buffer = new byte[16];
        private int _reports;
        private long _before;

        public TransportConnection Connection => connection;

        public int Measured { get; private set; }

        public int ThatAllocated { get; private set; }

        public void OnReadable()
        {
            var now = GC.GetAllocatedBytesForCurrentThread();
            if (_reports++ > WarmUp)
            {
                Measured++;
                ThatAllocated += now > _before ? 1 : 0;
            }

            _before = now;
            var received = connection.Receive(_buffer);
            while (!connection.TryEndReading())
            {
                connection.Receive(_buffer);
            }

            if (received > 0)
            {
                connection.Send(_buffer.AsSpan(0, received));
            }
        }

        public void OnSendCompleted(bool succeeded)
        {
        }

        public void OnPeerGone()
        {
        }
    }
}
