namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The response body as a stream.</summary>
public sealed class ResponseBodyStreamTests : IDisposable
{
    private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 10, resumeWriterThreshold: 5));
    private readonly FeaturesFixture _fixture = new();
    private readonly CountingWriter _writer;
    private readonly BodyStream _stream;

    public ResponseBodyStreamTests()
    {
        _writer = new CountingWriter(_pipe.Writer);
        _stream = new BodyStream(reader: null, _writer, _fixture.Response);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _stream.Dispose();

    [Fact]
    public async Task Each_write_is_flushed_and_one_of_nothing_too_so_that_the_response_starts()
    {
        await _stream.WriteAsync(new byte[] { 1, 2 }, Token).AsTask().Within("the write");
        Assert.Equal([1, 2], await ReadAsync());

        await _stream.WriteAsync([0, 3, 4], 1, 2, Token).Within("the second write");
        Assert.Equal([3, 4], await ReadAsync());
        Assert.Equal(2, _writer.Flushes);

        await _stream.WriteAsync(ReadOnlyMemory<byte>.Empty, Token).AsTask().Within("the write of nothing");
        await _stream.WriteAsync([], 0, 0, Token).Within("the second one");
        Assert.Equal(4, _writer.Flushes);
    }

    /// <summary>As on Kestrel: the stream does not tell, since the bytes leave all the same.</summary>
    [Fact]
    public async Task CancelPendingFlush_ends_the_wait_of_a_write_and_no_more()
    {
        var write = _stream.WriteAsync(new byte[20], Token).AsTask();
        _pipe.Writer.CancelPendingFlush();
        await write.Within("the write");

        Assert.Equal(20, (await ReadAsync()).Length);
        _pipe.Writer.CancelPendingFlush();
        await _stream.FlushAsync(Token).Within("the flush");
    }

    [Fact]
    public async Task BeginWrite_does_not_count_as_synchronous()
    {
        var called = new TaskCompletionSource<object?>();

        var result = _stream.BeginWrite([0, 1, 2], 1, 2, done => called.SetResult(done.AsyncState), "state");

        Assert.Equal("state", await called.Task.Within("the callback"));
        _stream.EndWrite(result);
        Assert.Equal([1, 2], await ReadAsync());
    }

    [Fact]
    public void Synchronous_writes_are_refused_with_nothing_written_and_the_refusal_says_how_to_allow_them()
    {
        var exception = Assert.Throws<InvalidOperationException>(() => _stream.Write([1], 0, 1));
        Assert.Throws<InvalidOperationException>(() => _stream.Write(new byte[1].AsSpan()));
        Assert.Throws<InvalidOperationException>(() => _stream.WriteByte(1));
        Assert.Throws<InvalidOperationException>(_stream.Flush);

        Assert.Contains("AllowSynchronousIO", exception.Message, StringComparison.Ordinal);
        Assert.Equal(0, _writer.Flushes);
        Assert.Equal(0, _writer.UnflushedBytes);
    }

    [Fact]
    public async Task Synchronous_writes_work_once_they_are_allowed_and_stop_when_they_are_not()
    {
        IHttpBodyControlFeature control = _fixture.Features;
        control.AllowSynchronousIO = true;

        _stream.Write([0, 1], 1, 1);
        _stream.Write(stackalloc byte[] { 2 });
        _stream.WriteByte(3);
        _stream.Flush();
        Assert.Equal([1, 2, 3], await ReadAsync());
        Assert.Equal(4, _writer.Flushes);

        control.AllowSynchronousIO = false;
        Assert.Throws<InvalidOperationException>(() => _stream.WriteByte(4));
    }

    [Fact]
    public void It_can_only_be_written()
    {
        RequestBodyStreamTests.AssertOneWay(_stream, reads: false);
        Assert.Throws<NotSupportedException>(() => _stream.Read(new byte[1], 0, 1));
    }

    [Fact]
    public async Task After_the_response_it_is_dead_though_the_writer_lives_on()
    {
        _fixture.Response.Fail();

        Assert.False(_stream.CanWrite);
        Assert.Throws<ObjectDisposedException>(() => { _ = _stream.WriteAsync(new byte[1], 0, 1, Token); });
        Assert.Throws<ObjectDisposedException>(() => { _ = _stream.FlushAsync(Token); });
        Assert.Throws<ObjectDisposedException>(() => _stream.Write([1], 0, 1));
        Assert.Throws<ObjectDisposedException>(_stream.Flush);
        Assert.Equal(0, _writer.UnflushedBytes);

        await _writer.WriteAsync(new byte[] { 9 }, Token).AsTask().Within("the next response");
        Assert.Equal([9], await ReadAsync());
    }

    [Fact]
    public async Task Disposing_of_it_leaves_the_writer_open()
    {
        await _stream.DisposeAsync();

        await _writer.WriteAsync(new byte[] { 9 }, Token).AsTask().Within("the writer");
        Assert.Equal([9], await ReadAsync());
    }

    private async Task<byte[]> ReadAsync()
    {
        var result = await _pipe.Reader.ReadAsync(Token).AsTask().Within("what was written");
        var content = result.Buffer.ToArray();
        _pipe.Reader.AdvanceTo(result.Buffer.End);
        return content;
    }

    /// <summary>Counts the flushes, which a pipe hides when there is nothing to flush.</summary>
    private sealed class CountingWriter(PipeWriter writer) : PipeWriter
    {
        internal int Flushes { get; private set; }

        public override bool CanGetUnflushedBytes => true;

        public override long UnflushedBytes => writer.UnflushedBytes;

        public override void Advance(int bytes) => writer.Advance(bytes);

        public override void CancelPendingFlush() => writer.CancelPendingFlush();

        public override void Complete(Exception? exception = null) => writer.Complete(exception);

        public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
        {
            Flushes++;
            return writer.FlushAsync(cancellationToken);
        }

        public override Memory<byte> GetMemory(int sizeHint = 0) => writer.GetMemory(sizeHint);

        public override Span<byte> GetSpan(int sizeHint = 0) => writer.GetSpan(sizeHint);
    }
}
