namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>The reader keeps the contract of PipeReader, as the framework's own pipe does.</summary>
public sealed class RequestBodyReaderTests : IDisposable
{
    private readonly ScriptedRequest _request = new();
    private readonly PipeReader _reader;
    private int _abandoned;

    public RequestBodyReaderTests() => _reader = _request.NewReader();

    public void Dispose() => _request.End(_abandoned);

    [Fact]
    public async Task Reads_what_came_and_then_waits()
    {
        Assert.False(_reader.TryRead(out _));
        _request.Write("abc");
        Assert.True(_reader.TryRead(out var result));
        Assert.Equal(("abc", false, false), (ScriptedRequest.TextOf(result), result.IsCompleted, result.IsCanceled));
        _reader.AdvanceTo(result.Buffer.End);

        var read = _reader.ReadAsync();
        Assert.False(read.IsCompleted);
        _request.Write("def");
        _request.RunContinuations();
        result = await read;
        Assert.Equal("def", ScriptedRequest.TextOf(result));
        _reader.AdvanceTo(result.Buffer.End);
    }

    [Fact]
    public void What_was_not_consumed_comes_again_with_more_and_may_be_left_unexamined_again()
    {
        _request.Write("abc");
        Advance(consume: 1, examine: 3);
        Assert.False(_reader.TryRead(out _));
        _request.Write("def");
        Assert.Equal("bcdef", Advance(consume: 0, examine: 0));
        Assert.Equal("bcdef", Advance(consume: 0, examine: 1));
        Assert.Equal("bcdef", Advance(consume: 0, examine: 4));
        Assert.Equal("bcdef", Advance(consume: 5, examine: 5));
    }

    [Fact]
    public async Task A_read_of_the_stream_crosses_buffers()
    {
        var buffer = new byte[200_000];
        await using var stream = new BodyStream(_reader, writer: null, new FeaturesFixture().Response);
        _request.Write(new string('x', 100_000));
        _request.Write(new string('y', 100_000));

        Assert.Equal(buffer.Length, await stream.ReadAsync(buffer, TestContext.Current.CancellationToken));
        Assert.Equal(new string('x', 100_000) + new string('y', 100_000), Encoding.ASCII.GetString(buffer));
    }

    [Fact]
    public async Task ReadAtLeast_waits_for_enough()
    {
        var read = _reader.ReadAtLeastAsync(5).AsTask();
        _request.Write("abc");
        _request.RunContinuations();
        Assert.False(read.IsCompleted);
        _request.Write("def");
        _request.RunContinuations();
        var result = await read.Within("five bytes");
        Assert.Equal("abcdef", ScriptedRequest.TextOf(result));
        _reader.AdvanceTo(result.Buffer.End);
    }

    [Fact]
    public void After_the_end_every_read_is_completed()
    {
        _request.Write("abc");
        _request.Body.End();
        Assert.True(_reader.TryRead(out var result) && result.IsCompleted);
        _reader.AdvanceTo(result.Buffer.GetPosition(1));
        Assert.True(_reader.TryRead(out result) && result.IsCompleted);
        Assert.Equal("bc", ScriptedRequest.TextOf(result));
        _reader.AdvanceTo(result.Buffer.End);
        Assert.True(_reader.TryRead(out result) && result.IsCompleted && result.Buffer.IsEmpty);
        _reader.AdvanceTo(result.Buffer.End);
    }

    [Fact]
    public async Task One_read_at_a_time()
    {
        _request.Write("abc");
        var result = await _reader.ReadAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _reader.ReadAsync());
        Assert.Throws<InvalidOperationException>(() => _reader.TryRead(out _));
        _reader.AdvanceTo(result.Buffer.End);
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(result.Buffer.End));

        var read = _reader.ReadAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _reader.ReadAsync());
        Assert.Throws<InvalidOperationException>(() => _reader.TryRead(out _));
        _request.Body.End();
        _request.RunContinuations();
        Assert.True((await read).IsCompleted);
    }

    [Fact]
    public void Positions_are_judged()
    {
        _request.Write("abcdef");
        _reader.TryRead(out var result);
        var early = result.Buffer.GetPosition(1);
        _reader.AdvanceTo(result.Buffer.GetPosition(2), result.Buffer.GetPosition(4));
        _reader.TryRead(out result);
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(early));
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(result.Buffer.End, result.Buffer.Start));
        var foreign = new ScriptedRequest();
        foreign.Write("abcdef");
        foreign.NewReader().TryRead(out var other);
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(other.Buffer.End));
        _reader.AdvanceTo(result.Buffer.End);
    }

    [Fact]
    public async Task CancelPendingRead_ends_the_read_that_waits_or_the_next_one()
    {
        var read = _reader.ReadAsync();
        _reader.CancelPendingRead();
        _request.RunContinuations();
        Assert.True((await read).IsCanceled);

        _reader.CancelPendingRead();
        _reader.CancelPendingRead();
        _request.Write("abc");
        var result = await _reader.ReadAsync();
        Assert.Equal((true, "abc"), (result.IsCanceled, ScriptedRequest.TextOf(result)));

        // AdvanceTo may be left out after a cancelled result.
        result = await _reader.ReadAsync();
        Assert.Equal((false, "abc"), (result.IsCanceled, ScriptedRequest.TextOf(result)));
        _reader.AdvanceTo(result.Buffer.End);
    }

    [Fact]
    public async Task A_token_cancels_the_read_that_waits_and_the_next_read_goes_on()
    {
        using var source = new CancellationTokenSource();
        var read = _reader.ReadAsync(source.Token);
        await source.CancelAsync();
        _request.RunContinuations();
        var exception = await Assert.ThrowsAsync<OperationCanceledException>(async () => await read);
        Assert.Equal(source.Token, exception.CancellationToken);
        Assert.Throws<OperationCanceledException>(() => { _ = _reader.ReadAsync(source.Token).AsTask(); });
        _request.Write("abc");
        Assert.Equal("abc", Advance(consume: 3, examine: 3));
    }

    [Fact]
    public async Task A_failure_is_met_by_every_read_and_told_once()
    {
        _request.Write("abc");
        _request.Body.Fail(new BadHttpRequestException("cut"));
        for (var i = 0; i < 3; i++)
        {
            Assert.Throws<BadHttpRequestException>(() => _reader.TryRead(out _));
            await Assert.ThrowsAsync<BadHttpRequestException>(async () => await _reader.ReadAsync());
        }

        Assert.Single(_request.BadRequests);
        Assert.Equal(1, _request.BadRequestsTold);
    }

    [Fact]
    public async Task A_failure_ends_the_read_that_waits()
    {
        var read = _reader.ReadAsync();
        _request.Body.Fail(new IOException("lost"));
        _request.RunContinuations();
        await Assert.ThrowsAsync<IOException>(async () => await read);
        Assert.Empty(_request.BadRequests);
    }

    [Fact]
    public async Task Complete_ends_all_reading()
    {
        _request.Write("abc");
        Advance(consume: 3, examine: 3);
        var read = _reader.ReadAsync();
        var failure = new InvalidOperationException("of the application");
        _reader.Complete(failure);
        _request.RunContinuations();
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await read);
        Assert.Throws<InvalidOperationException>(() => _reader.TryRead(out _));
        Assert.Same(failure, ((RequestBodyReader)_reader).TakeError());
        _request.Write("def");
        Assert.Equal(0, _request.Pool.Outstanding);
    }

    [Fact]
    public void The_limit_is_judged_by_what_was_declared_and_by_what_came()
    {
        var declared = new ScriptedRequest(declared: 11, limit: 10);
        Assert.Equal(413, TooLarge(declared.NewReader()));
        Assert.Equal(1, declared.Starts);

        var streamed = new ScriptedRequest(limit: 10);
        var reader = streamed.NewReader();
        streamed.Write("0123456789");
        Assert.True(reader.TryRead(out var result));
        reader.AdvanceTo(result.Buffer.End);
        streamed.Write("x");
        Assert.Equal(413, TooLarge(reader));
        Assert.Equal(413, TooLarge(reader));
        Assert.Single(streamed.BadRequests);
        streamed.End();

        static int TooLarge(PipeReader reader) =>
            Assert.Throws<BadHttpRequestException>(() => reader.TryRead(out _)).StatusCode;
    }

    [Fact]
    public async Task The_context_of_the_connection_does_not_flow_to_the_application()
    {
        var local = new AsyncLocal<string>();
        local.Value = "application";
        string? seen = null;
        var application = ReadAsync();
        local.Value = "connection";
        _request.Write("abc");
        _request.RunContinuations();
        await application.Within("the application");
        Assert.Equal(("application", "connection"), (seen, local.Value));
        _request.End();

        async Task ReadAsync()
        {
            var result = await _reader.ReadAsync();
            seen = local.Value;
            _reader.AdvanceTo(result.Buffer.End);
        }
    }

    /// <summary>What Complete does to the body it does under its lock: behind it the body may be another request's.</summary>
    [Fact]
    public async Task Complete_leaves_the_body_alone_that_serves_another_when_the_read_is_woken()
    {
        var read = _reader.ReadAsync().AsTask();
        RequestBodyReader? next = null;
        _request.OnContinue = () =>
        {
            _request.End();
            _request.Begin();
            _request.Write("next");
            next = _request.NewReader();
        };

        _reader.Complete();

        _request.RunContinuations();
        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => read.Within("the end of the read"));
        ScriptedRequest.AssertReads("next", next!);
    }

    [Fact]
    public void Content_that_was_handed_out_and_not_advanced_over_is_left_to_the_collector()
    {
        _request.Write("secret");
        _reader.TryRead(out var kept);
        _request.End(abandoned: 1);
        _request.Begin();
        _request.Write("another client");
        Assert.Equal("secret", ScriptedRequest.TextOf(kept));
        _reader.AdvanceTo(kept.Buffer.End);
        Assert.True(_request.NewReader().TryRead(out var result));
        Assert.Equal("another client", ScriptedRequest.TextOf(result));
        _abandoned = 2;
    }

    [Fact]
    public async Task An_empty_body_is_complete_at_once()
    {
        var request = new ScriptedRequest(declared: 0);
        var reader = request.NewReader();
        reader.CancelPendingRead();
        Assert.True(reader.TryRead(out var result) && result.IsCanceled && result.IsCompleted);
        reader.AdvanceTo(result.Buffer.End);
        Assert.True(await reader.ReadAsync() is { IsCanceled: false, IsCompleted: true });
        request.End();
        Assert.Throws<ObjectDisposedException>(() => reader.TryRead(out _));
    }

    /// <summary>A callback without await, on the thread that received the bytes, or on the thread pool.</summary>
    [Theory, InlineData(true), InlineData(false)]
    public void What_a_callback_throws_is_not_the_servers(bool hasReceivingThread)
    {
        var request = new ScriptedRequest { HasReceivingThread = hasReceivingThread };
        Callback.Throws(request.NewReader().ReadAsync(TestContext.Current.CancellationToken));
        request.Write("x");
        request.RunContinuations();
        Assert.True(SpinWait.SpinUntil(() => !request.Failures.IsEmpty, Deadline.Default));
        Assert.Equal("a callback", Assert.Single(request.Failures).Message);
    }

    [Fact]
    public void An_upgrade_gives_the_stream_to_a_reader_of_its_own()
    {
        var request = new ScriptedRequest(declared: 0, limit: 1);
        var before = request.NewReader();
        Assert.True(before.TryRead(out var result) && result.IsCompleted);
        request.Body.Upgrade();
        var late = request.NewReader();
        var upgraded = new RequestBodyReader(request.Body, owner: null, isUpgraded: true);
        request.Write("frames");
        Assert.True(late.TryRead(out result) && result.Buffer.IsEmpty);
        ScriptedRequest.AssertReads("frames", upgraded);
        request.End();
        Assert.Throws<ObjectDisposedException>(() => upgraded.TryRead(out _));
        Assert.Throws<ObjectDisposedException>(() => late.TryRead(out _));
    }

    /// <summary>A task that outlived its handler asks for the body of its request when that is another's.</summary>
    [Theory, InlineData(null), InlineData(0L)]
    public void A_reader_that_comes_too_late_leaves_the_next_request_alone(long? declared)
    {
        object first = new(), second = new();
        var request = new ScriptedRequest(declared: declared);
        request.Body.Own(first);
        request.End();
        request.Begin(declared);
        request.Body.Own(second);
        var reader = request.NewReader(second);

        var late = request.NewReader(first);

        Assert.Throws<ObjectDisposedException>(() => late.TryRead(out _));
        request.Write("body");
        request.Body.End();
        Assert.True(reader.TryRead(out var result));
        Assert.Equal(declared is null ? "body" : "", ScriptedRequest.TextOf(result));
        request.Body.EndReading();
        Assert.Throws<ObjectDisposedException>(() => reader.TryRead(out _));
    }

    private string Advance(int consume, int examine)
    {
        Assert.True(_reader.TryRead(out var result));
        var text = Encoding.ASCII.GetString(result.Buffer.ToArray());
        _reader.AdvanceTo(result.Buffer.GetPosition(consume), result.Buffer.GetPosition(examine));
        return text;
    }
}
