namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>Time limits of a request: when they end, and that an infinite one never does.</summary>
public sealed class TimeLimitTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly FastCgiServerOptions _options = new();
    private readonly ScriptedTransport _transport = new();
    private ConnectionSet? _connections;

    private string Sent => System.Text.Encoding.ASCII.GetString([.. _transport.Sent]);

    public void Dispose() => _connections?.Dispose();

    [Fact]
    public void Params_that_do_not_end_in_time_are_answered()
    {
        _options.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(10);
        Connect();
        Receive(new RecordBuilder().Begin());

        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Empty(_transport.Sent);
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(SpinWait.SpinUntil(() => Sent.Contains("408", StringComparison.Ordinal), Deadline.Default));
    }

    [Fact]
    public void Params_may_take_for_ever_without_a_limit()
    {
        _options.Limits.RequestHeadersTimeout = Timeout.InfiniteTimeSpan;
        Connect();
        Receive(new RecordBuilder().Begin());

        _time.Advance(TimeSpan.FromHours(1));

        Receive(new RecordBuilder().Params(1, new RequestScript().ToParams()).EndParams().EndStdin());
        Assert.Contains("hello", Sent, StringComparison.Ordinal);
        Assert.DoesNotContain("408", Sent, StringComparison.Ordinal);
    }

    /// <summary>
    /// Without a length the first record of the body says whether there is one, and it may take its time.
    /// </summary>
    [Fact]
    public void The_limit_of_the_params_does_not_hold_for_the_body()
    {
        _options.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(10);
        Connect();
        Receive(new RecordBuilder().Begin().Params(1, new RequestScript { Method = "POST" }.ToParams()).EndParams());
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Empty(_transport.Sent);

        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(SpinWait.SpinUntil(() => Sent.Contains("hello", StringComparison.Ordinal), Deadline.Default), Sent);

        Receive(new RecordBuilder().Stdin(1, "late"u8).EndStdin().Request(new RequestScript { Id = 2 }));
        Assert.True(SpinWait.SpinUntil(() => Sent.Split("hello").Length == 3, Deadline.Default), Sent);
        Assert.DoesNotContain("408", Sent, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_is_idle_from_the_end_of_its_last_request_on()
    {
        _options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
        Connect();
        _time.Advance(TimeSpan.FromSeconds(8));
        Receive(new RecordBuilder().Request(new RequestScript()));
        int answered = _transport.Sent.Count;

        // 16 seconds old, and idle for 8 of them.
        _time.Advance(TimeSpan.FromSeconds(8));
        Receive(new RecordBuilder().Request(new RequestScript()));
        Assert.Equal(2 * answered, _transport.Sent.Count);

        _time.Advance(TimeSpan.FromSeconds(12));
        await _transport.Closed.Within("the close");
    }

    [Fact]
    public async Task A_connection_is_not_idle_while_its_peer_still_takes_a_response()
    {
        _options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
        Connect();
        _transport.Room = 10;
        Receive(new RecordBuilder().Request(new RequestScript()));
        _time.Advance(TimeSpan.FromSeconds(12));
        _transport.Room = null;
        _transport.CompleteAllLater();

        int answered = _transport.Sent.Count;
        Receive(new RecordBuilder().Request(new RequestScript()));
        Assert.Equal(2 * answered, _transport.Sent.Count);

        _time.Advance(TimeSpan.FromSeconds(12));
        await _transport.Closed.Within("the close");
    }

    [Fact]
    public async Task A_connection_is_not_idle_when_a_request_has_arrived()
    {
        _options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
        Connect();
        _transport.Unread = true;
        _time.Advance(TimeSpan.FromSeconds(12));
        Receive(new RecordBuilder().Request(new RequestScript()));
        Assert.Contains("hello", Sent, StringComparison.Ordinal);

        _transport.Unread = false;
        _time.Advance(TimeSpan.FromSeconds(12));
        await _transport.Closed.Within("the close");
    }

    [Theory]
    [InlineData(1, 6)]
    [InlineData(5, 33)]
    [InlineData(-1, 1000)]
    public void An_upload_behind_its_answer_goes_on_until_the_limit(int seconds, int mostTicks)
    {
        _options.Limits.RequestBodyDrainTimeout =
            seconds < 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(seconds);
        Connect();
        var script = new RequestScript { Method = "POST", ExtraParams = [("CONTENT_LENGTH", "1000000")] };
        Receive(new RecordBuilder().Begin().Params(1, script.ToParams()).EndParams());
        Assert.Contains("hello", Sent, StringComparison.Ordinal);
        int answered = _transport.Sent.Count;

        // Something comes in each of the moments after which the drain looks.
        int ticks = 0;
        while (_transport.Sent.Count == answered && ticks < 1000)
        {
            ticks++;
            Receive(new RecordBuilder().Stdin(1, new byte[10]));
            _time.Advance(TimeSpan.FromMilliseconds(150));
        }

        Assert.InRange(ticks, Math.Min(mostTicks, 1000) - 1, mostTicks + 1);
    }

    private void Connect()
    {
        var server = new ServerContext(_options, NullLoggerFactory.Instance, _time);
        _connections = _transport.Connect(server, DelegateApplication.Hello);
    }

    private void Receive(RecordBuilder records) => _transport.Bring(records);
}
