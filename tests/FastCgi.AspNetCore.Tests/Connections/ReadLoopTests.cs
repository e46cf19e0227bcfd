namespace FastCgi.AspNetCore.Tests.Connections;

public sealed class ReadLoopTests : IDisposable, IReadTarget, IThreadPoolWorkItem
{
    private readonly TrackingPool _pool = new();
    private readonly ScriptedTransport _transport = new();
    private readonly List<string> _seen = [];
    private readonly TaskCompletionSource _continued = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly FastCgiRequest _request;
    private readonly SendQueue _output;
    private readonly ReadLoop _loop;
    private RouteHandler _route = static (ReadOnlySpan<byte> _, ref ReadyWork _) => true;
    private bool _mayPause = true;

    public ReadLoopTests()
    {
        var server = new ScriptedServer { Buffers = _pool };
        server.Options.Limits.MaxResponseBufferSize = 0;
        _request = server.NewRequest();
        _output = new SendQueue(_transport, server.Context, this);
        _loop = new ReadLoop(_transport, server.Context, _output, this);
    }

    private delegate bool RouteHandler(ReadOnlySpan<byte> received, ref ReadyWork ready);

    public void Dispose() => Assert.Equal(0, _pool.Outstanding);

    void IThreadPoolWorkItem.Execute()
    {
    }

    bool IReadTarget.TryRoute(ReadOnlySpan<byte> received, bool isFirst, ref ReadyWork ready)
    {
        _seen.Add($"{(isFirst ? "first " : "")}{received.Length}");
        _loop.EndReceive();
        return _route(received, ref ready);
    }

    void IReadTarget.OnNothingReceived()
    {
        _seen.Add("nothing");
        _loop.EndReceive();
    }

    void IReadTarget.OnEndOfInput() => _seen.Add("end");

    void IReadTarget.OnReset() => _seen.Add("reset");

    bool IReadTarget.TryPauseFor(FastCgiRequest request)
    {
        Assert.Same(_request, request);
        _seen.Add("pause");
        return _mayPause;
    }

    void IReadTarget.OnAnswersUntaken() => _seen.Add("untaken");

    /// <summary>The socket is edge-triggered: after a full buffer nobody would be told of the rest.</summary>
    [Theory]
    [InlineData(new int[0], "nothing")]
    [InlineData(new[] { 3 }, "first 3")]
    [InlineData(new[] { 16 * 1024, 40 * 1024 }, "first 16384, 40960")]
    [InlineData(new[] { 16 * 1024, 64 * 1024, 64 * 1024, 5 }, "first 16384, 65536, 65536, 5")]
    public void Only_a_short_read_gives_the_role_back(int[] lengths, string seen)
    {
        Array.ForEach(lengths, length => _transport.Feed(new byte[length]));
        _loop.Run();
        Assert.Equal(seen, string.Join(", ", _seen));
        Assert.Equal(["end reading"], _transport.Calls);
    }

    [Fact]
    public void What_came_meanwhile_is_read_too()
    {
        _transport.Feed(1);
        _transport.Feed(1, 2);
        _transport.EndReading.Enqueue(false);
        _loop.Run();
        Assert.Equal(["first 1", "2"], _seen);
    }

    [Fact]
    public void A_lost_socket_is_not_read_again()
    {
        _transport.WhenDry = static () => TransportConnection.Reset;
        _loop.Run();
        Assert.Equal(["reset"], _seen);
        Assert.Empty(_transport.Calls);
    }

    [Fact]
    public void The_end_of_the_stream_keeps_the_role()
    {
        _transport.WhenDry = static () => 0;
        _loop.Run();
        Assert.Equal(["end"], _seen);
        Assert.Empty(_transport.Calls);
        Assert.True(_loop.HasEnded);
        Assert.True(_loop.IsBlind);
    }

    [Theory]
    [InlineData(true, new[] { "pause" })]
    [InlineData(false, new[] { "pause", "resume" })]
    public void A_slow_reader_stops_the_socket_if_there_is_still_something_to_wait_for(bool mayPause, string[] calls)
    {
        _mayPause = mayPause;
        _transport.Feed(1);
        _route = (ReadOnlySpan<byte> _, ref ReadyWork ready) =>
        {
            ready.SlowReader = _request;
            return true;
        };
        _loop.Run();
        Assert.Equal(calls, _transport.Calls);
        Assert.Equal(mayPause, _loop.IsBlind);
        _loop.Resume();
        Assert.False(_loop.IsBlind);
    }

    [Fact]
    public void Untaken_answers_stop_the_socket_until_they_are_taken_and_are_told_once()
    {
        _transport.Room = 0;
        for (int turn = 0; turn < 2; turn++)
        {
            _output.SendAnswer([1]);
            _transport.Feed(1);
            _loop.Run();
            Assert.Equal("pause", _transport.Calls[^1]);
            _output.OnSendCompleted(_transport.CompleteLater());
            Assert.Equal("resume", _transport.Calls[^1]);
        }

        Assert.Equal(["first 1", "untaken", "1"], _seen);
    }

    [Fact]
    public async Task What_became_ready_is_not_lost_when_routing_fails_behind_it()
    {
        _transport.Feed(1);
        _route = (ReadOnlySpan<byte> _, ref ReadyWork ready) =>
        {
            ready.Add(_request, new DelegateWork(_continued.SetResult));
            throw new InvalidOperationException("in the middle of routing");
        };
        Assert.Throws<InvalidOperationException>(_loop.Run);
        await _continued.Task.Within("what became ready");
    }

    [Fact]
    public async Task What_is_ready_does_not_wait_until_everything_is_read()
    {
        _transport.OwnThreads = false;
        _transport.EndReading.Enqueue(false);
        _transport.Feed(1);
        _transport.WhenDry = () => _continued.Task.Wait(Deadline.Default) ? TransportConnection.WouldBlock : 0;
        _route = (ReadOnlySpan<byte> _, ref ReadyWork ready) =>
        {
            ready.Add(_request, new DelegateWork(_continued.SetResult));
            return true;
        };
        await Task.Run(_loop.Run).Within("the read");
        Assert.Equal(["first 1", "nothing"], _seen);
    }

    [Fact]
    public void What_has_left_the_socket_counts_as_arrived_until_it_is_routed()
    {
        bool inRoute = false;
        _transport.Feed(1);
        _transport.WhenDry = null;
        Assert.False(_loop.HasArrived());
        _route = (ReadOnlySpan<byte> _, ref ReadyWork _) => inRoute = true;
        _loop.Run();
        Assert.True(inRoute);
        Assert.False(_loop.HasArrived());
        _transport.Unread = true;
        Assert.True(_loop.HasArrived());
    }
}
