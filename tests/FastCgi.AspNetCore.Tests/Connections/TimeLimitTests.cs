namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>Time limits of a request: when they end, and that an infinite one never does.</summary>
public sealed class TimeLimitTests : IDisposable
{
    private readonly ScriptedServer _server = new();
    private readonly ScriptedTransport _transport = new();

    private FastCgiServerLimits Limits => _server.Options.Limits;

    public void Dispose() => _server.Dispose();

    [Fact]
    public void Params_may_take_for_ever_without_a_limit()
    {
        Limits.RequestHeadersTimeout = Timeout.InfiniteTimeSpan;
        _server.Accept(_transport);
        _transport.Bring(new RecordBuilder().Begin());

        _server.Time.Advance(TimeSpan.FromHours(1));

        _transport.Bring(new RecordBuilder().Params(1, new RequestScript().ToParams()).EndParams().EndStdin());
        Assert.Contains("hello", _transport.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("408", _transport.Text, StringComparison.Ordinal);
    }

    /// <summary>
    /// Without a length the first record of the body says whether there is one, and it may take its time.
    /// </summary>
    [Fact]
    public void The_limit_of_the_params_does_not_hold_for_the_body()
    {
        Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(10);
        _server.Accept(_transport);
        var post = new RequestScript { Method = "POST" };
        _transport.Bring(new RecordBuilder().Begin().Params(1, post.ToParams()).EndParams());
        _server.Pass(9);
        Assert.Empty(_transport.Sent);

        _server.Pass(3);
        AssertComes("hello");

        _transport.Bring(new RecordBuilder().Stdin(1, "late"u8).EndStdin().Request(new RequestScript { Id = 2 }));
        AssertComes("hello", times: 2);
        Assert.DoesNotContain("408", _transport.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_is_idle_from_the_end_of_its_last_request_on()
    {
        Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
        _server.Accept(_transport);
        _server.Pass(8);
        _transport.Bring(new RecordBuilder().Request(new RequestScript()));
        int answered = _transport.Sent.Count;

        // 16 seconds old, and idle for 8 of them.
        _server.Pass(8);
        _transport.Bring(new RecordBuilder().Request(new RequestScript()));
        Assert.Equal(2 * answered, _transport.Sent.Count);

        _server.Pass(12);
        await _transport.Closed.Within("the close");
    }

    [Fact]
    public async Task A_connection_is_not_idle_while_its_peer_still_takes_a_response()
    {
        Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
        _server.Accept(_transport);
        _transport.Room = 10;
        _transport.Bring(new RecordBuilder().Request(new RequestScript()));
        _server.Pass(12);
        _transport.Room = null;
        _transport.CompleteAllLater();

        int answered = _transport.Sent.Count;
        _transport.Bring(new RecordBuilder().Request(new RequestScript()));
        Assert.Equal(2 * answered, _transport.Sent.Count);

        _server.Pass(12);
        await _transport.Closed.Within("the close");
    }

    [Fact]
    public async Task A_connection_is_not_idle_when_a_request_has_arrived()
    {
        Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
        _server.Accept(_transport);
        _transport.Unread = true;
        _server.Pass(12);
        _transport.Bring(new RecordBuilder().Request(new RequestScript()));
        Assert.Contains("hello", _transport.Text, StringComparison.Ordinal);

        _transport.Unread = false;
        _server.Pass(12);
        await _transport.Closed.Within("the close");
    }

    [Theory]
    [InlineData(1, 6)]
    [InlineData(5, 33)]
    [InlineData(-1, 1000)]
    [HardInput("B6")]
    public void An_upload_behind_its_answer_goes_on_until_the_limit(int seconds, int mostTicks)
    {
        Limits.RequestBodyDrainTimeout =
            seconds < 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(seconds);
        _server.Accept(_transport);
        var script = new RequestScript { Method = "POST", ExtraParams = [("CONTENT_LENGTH", "1000000")] };
        _transport.Bring(new RecordBuilder().Begin().Params(1, script.ToParams()).EndParams());
        Assert.Contains("hello", _transport.Text, StringComparison.Ordinal);
        int answered = _transport.Sent.Count;

        // Something comes in each of the moments after which the drain looks.
        int ticks = 0;
        while (_transport.Sent.Count == answered && ticks < 1000)
        {
            ticks++;
            _transport.Bring(new RecordBuilder().Stdin(1, new byte[10]));
            _server.Time.Advance(TimeSpan.FromMilliseconds(150));
        }

        Assert.InRange(ticks, Math.Min(mostTicks, 1000) - 1, mostTicks + 1);
    }

    private void AssertComes(string text, int times = 1) => Assert.True(
        SpinWait.SpinUntil(() => _transport.Text.Split(text).Length > times, Deadline.Default), _transport.Text);
}
