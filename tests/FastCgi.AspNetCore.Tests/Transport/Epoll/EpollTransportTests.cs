namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

[SupportedOSPlatform("linux")]
public class EpollTransportTests
{
    // So much time between two ticks that the processors were idle, whatever other tests do.
    private static readonly TimeSpan LongTick = TimeSpan.FromHours(1);

    [Fact]
    public async Task The_number_of_threads_is_one_to_begin_with_or_what_was_asked_for()
    {
        EpollTransport pinned;
        await using (var byDefault = Transport(workers: null))
        {
            Assert.Equal(1, Of(byDefault).WorkerCount);
        }

        await using (var harness = Transport(workers: 3))
        {
            pinned = Of(harness);
            Assert.Equal(3, pinned.WorkerCount);
        }

        Assert.Equal(0, pinned.WorkerCount);
    }

    [Fact]
    public async Task When_applications_hold_all_threads_others_are_added_and_leave_again()
    {
        var release = new Latch();
        await using var harness = Transport(workers: null);
        var transport = Of(harness);
        await HoldAThreadAsync(harness, release);

        var (_, served) = harness.Start(SocketKind.Unix, connection => new EchoHandler(connection));
        served.Send("y"u8);
        transport.Crew.OnTick(LongTick);
        transport.Crew.OnTick(LongTick);

        await EchoTests.ReceiveExactlyAsync(served, 1).Within("the echo by a thread that was added");
        Assert.True(transport.WorkerCount > 1);

        release.Set();
        Assert.True(
            SpinWait.SpinUntil(() => transport.WorkerCount == 1, Deadline.Default),
            $"{transport.WorkerCount} threads are left.");
    }

    /// <summary>One thread may fetch several events at a time, and the application of the first keeps it.</summary>
    [Fact]
    public async Task What_a_held_thread_has_fetched_besides_is_served_by_another()
    {
        var releaseFirst = new Latch();
        var releaseSecond = new Latch();
        var releaseLast = new Latch();
        await using var harness = Transport(workers: 2);
        await HoldAThreadAsync(harness, releaseFirst);
        await HoldAThreadAsync(harness, releaseSecond);
        var (last, lastPeer) = harness.Start(
            SocketKind.Unix, connection => new HoldingHandler(connection, releaseLast));
        var others = Enumerable.Range(0, EpollBatch.MaxSize - 1)
            .Select(_ => harness.Start(SocketKind.Unix, connection => new EchoHandler(connection)).Peer)
            .ToList();
        lastPeer.Send("x"u8);
        others.ForEach(peer => peer.Send("y"u8));

        Of(harness).Crew.OnTick(TimeSpan.Zero);
        releaseFirst.Set();
        await last.Held;
        releaseSecond.Set();
        Of(harness).Crew.OnTick(LongTick);

        foreach (var peer in others)
        {
            await EchoTests.ReceiveExactlyAsync(peer, 1).Within("the echo of an event that was given back");
        }

        Assert.False(releaseLast.IsSet);
        releaseLast.Set();
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
        var release = new Latch();
        await using var harness = Transport(workers: 1);
        (await HoldAThreadAsync(harness, release)).Connection.Close();

        harness.Transport.Dispose();
        Assert.False(Of(harness).Ended.IsCompleted);

        release.Set();
    }

    [Fact]
    public async Task An_event_of_a_closed_connection_does_not_reach_the_next_owner_of_its_slot()
    {
        await using var harness = Transport(workers: 1);
        var table = new EpollTargets(new ScriptedSet());
        var first = Accept(harness);
        var second = Accept(harness);

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
    }

    [Fact]
    public async Task The_table_finds_every_connection_after_it_has_grown()
    {
        await using var harness = Transport(workers: 1);
        var table = new EpollTargets(new ScriptedSet());
        var connections = Enumerable.Range(0, 200).Select(_ => Accept(harness)).ToList();

        connections.ForEach(table.Add);

        Assert.All(connections, connection => Assert.Same(connection, table.Find(connection.Token)));
    }

    [Fact]
    public async Task A_request_costs_the_transport_no_allocation()
    {
        await using var harness = Transport(workers: 1);
        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new MeasuringHandler(connection));
        var answer = new byte[1];

        for (var i = 0; i < 500; i++)
        {
            peer.Send("x"u8);
            Assert.Equal(1, await peer.ReceiveAsync(answer).Within("the answer"));
        }

        // The runtime allocates now and then when it recompiles what is hot; the transport would at each request.
        Assert.InRange(handler.Measured, 350, 500);
        Assert.InRange(handler.ThatAllocated, 0, 10);
    }

    private static TransportHarness Transport(int? workers) => new(TransportKind.Epoll, workers);

    private static EpollTransport Of(TransportHarness harness) => (EpollTransport)harness.Transport;

    private static EpollConnection Accept(TransportHarness harness) =>
        (EpollConnection)harness.Connect(SocketKind.Unix).Connection;

    private static async Task<HoldingHandler> HoldAThreadAsync(TransportHarness harness, Latch release)
    {
        var (handler, peer) = harness.Start(SocketKind.Unix, connection => new HoldingHandler(connection, release));
        peer.Send("x"u8);
        await handler.Held;
        return handler;
    }

    /// <summary>Counts what its thread allocates from one report to the next, the transport's part included.</summary>
    private sealed class MeasuringHandler(TransportConnection connection) : ITransportHandler
    {
        private const int WarmUp = 100;

        private readonly byte[] _buffer = new byte[16];
        private int _reports;
        private long _before;

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
