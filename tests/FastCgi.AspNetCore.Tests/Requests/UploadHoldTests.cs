namespace FastCgi.AspNetCore.Tests.Requests;

public sealed class UploadHoldTests : IDisposable
{
    private const int UploadHoldFailed = 316;

    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(1);

    private readonly ScriptedServer _server = new();
    private readonly ScriptedResponse _response = new();
    private ScriptedRequest _request = new();

    // What a flush waits for that has no room any more; null where it need not wait.
    private Task? _held;

    public void Dispose()
    {
        _request.End();
        Assert.Equal(0, _server.Time.ActiveTimers);
        _response.AssertHome();
        _server.Logs.AssertNoUnexpectedErrors();
        _server.Dispose();
    }

    [Fact]
    public void The_head_leaves_when_the_body_is_whole()
    {
        var hold = Begin(declared: 6);
        Assert.Equal(0, _server.Time.ActiveTimers);
        _request.Write("abc");
        _server.Time.Advance(TimeSpan.FromHours(1));
        AssertHeld(hold);
        _request.Write("def");
        AssertLeft(hold);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void The_head_leaves_when_nobody_reads_the_body_any_more_and_when_it_fails(bool fails)
    {
        var hold = Begin(declared: fails ? null : 6);
        if (fails)
        {
            _request.Body.Fail(new IOException("lost"));
        }
        else
        {
            _request.Body.EndReading();
            _request.Body.Drop();
        }

        AssertLeft(hold);
    }

    [Fact]
    public void The_head_is_not_held_once_the_body_is_there()
    {
        _request = new ScriptedRequest(declared: 3);
        _request.Write("abc");
        AssertLeft(BeginOn(_request, _server.Time));
    }

    [Fact]
    public void A_body_of_unknown_length_may_be_quiet_for_a_second()
    {
        var hold = Begin(declared: null);
        for (var i = 0; i < 3; i++)
        {
            _request.Write("a");
            _server.Time.Advance(s_quiet);
            AssertHeld(hold);
        }

        _server.Time.Advance(s_quiet - TimeSpan.FromTicks(1));
        AssertHeld(hold);
        _server.Time.Advance(TimeSpan.FromTicks(1));
        AssertLeft(hold);
    }

    [Fact]
    public void A_flush_waits_when_half_a_block_waits()
    {
        var hold = Begin(declared: 6);
        Assert.Null(hold.WaitForRoom(UploadHold.MaxBytes - 1));
        Assert.NotNull(_held);
        _response.Append(new string('a', UploadHold.MaxBytes - 1));
        Assert.Null(hold.WaitForRoom(0));
        _response.Append("a");
        Assert.Same(_held, hold.WaitForRoom(0));
        Assert.False(_held.IsCompleted);
        hold.End();
        Assert.True(_held.IsCompleted);
        Assert.Null(hold.WaitForRoom(UploadHold.MaxBytes));
    }

    [Fact]
    public void It_ends_once()
    {
        var hold = Begin(declared: null);
        hold.End();
        hold.End();
        AssertLeft(hold);
    }

    /// <summary>An exception that leaves a timer ends the process.</summary>
    [Fact]
    public void What_a_timer_of_the_host_throws_leaves_no_tick()
    {
        _request = new ScriptedRequest(declared: null);
        _server.Logs.ExpectError(UploadHoldFailed);
        var hold = BeginOn(_request, new FaultyTimers(_server.Time));
        _server.Time.Advance(s_quiet);
        AssertLeft(hold);
    }

    [Fact]
    public void What_a_send_throws_leaves_no_tick()
    {
        var hold = Begin(declared: null);
        _server.Logs.ExpectError(UploadHoldFailed);
        _response.Connection.SendFailure = new InvalidOperationException("of the send");
        _server.Time.Advance(s_quiet);
        AssertOver(hold);
    }

    private UploadHold Begin(long? declared)
    {
        _request = new ScriptedRequest(declared: declared);
        return BeginOn(_request, _server.Time);
    }

    private UploadHold BeginOn(ScriptedRequest request, TimeProvider time)
    {
        _response.Head();
        var server = new ServerContext(_server.Options, _server.Loggers, time);
        var hold = new UploadHold(_response.Records, request.Body, server, _response.Connection)
            .Begin(_response.Owner);
        _held = hold.WaitForRoom(UploadHold.MaxBytes);
        _response.Flush();
        return hold;
    }

    private void AssertHeld(UploadHold hold)
    {
        Assert.Same(_held, hold.WaitForRoom(UploadHold.MaxBytes));
        Assert.False(_held!.IsCompleted);
        Assert.Empty(_response.Connection.Sends);
    }

    private void AssertLeft(UploadHold hold)
    {
        AssertOver(hold);
        Assert.Equal("H", _response.Connection.Stdout);
    }

    private void AssertOver(UploadHold hold)
    {
        Assert.Null(hold.WaitForRoom(UploadHold.MaxBytes));
        Assert.True(_held is null or { IsCompleted: true });
    }

    /// <summary>A clock of the host whose timers cannot be disposed without a complaint.</summary>
    private sealed class FaultyTimers(TimeProvider inner) : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new FaultyTimer(inner.CreateTimer(callback, state, dueTime, period));

        private sealed class FaultyTimer(ITimer inner) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => inner.Change(dueTime, period);

            public ValueTask DisposeAsync() => inner.DisposeAsync();

            public void Dispose()
            {
                inner.Dispose();
                throw new InvalidOperationException("of the timer");
            }
        }
    }
}
