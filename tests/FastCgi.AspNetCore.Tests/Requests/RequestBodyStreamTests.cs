namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The request body as a stream.</summary>
public sealed class RequestBodyStreamTests : IDisposable
{
    private readonly Pipe _pipe = new(new PipeOptions(minimumSegmentSize: 16));
    private readonly FeaturesFixture _fixture = new();
    private readonly BodyStream _stream;

    public RequestBodyStreamTests() => _stream = new BodyStream(_pipe.Reader, writer: null, _fixture.Response);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private IHttpBodyControlFeature Control => _fixture.Features;

    public void Dispose() => _stream.Dispose();

    [Fact]
    public async Task A_read_and_a_copy_cross_segments()
    {
        var content = Enumerable.Range(0, 100).Select(number => (byte)number).ToArray();
        await WriteInSegmentsAsync(content);

        var buffer = new byte[100];
        Assert.Equal(100, await _stream.ReadAsync(buffer, 0, 100, Token).Within("the read"));
        Assert.Equal(content, buffer);

        await WriteInSegmentsAsync(content);
        _pipe.Writer.Complete();
        var destination = new MemoryStream();
        await _stream.CopyToAsync(destination, Token).Within("the copy");
        Assert.Equal(content, destination.ToArray());
    }

    [Fact]
    public async Task A_read_of_no_bytes_waits_for_some_or_the_end_and_takes_none()
    {
        var read = ReadAsync(Memory<byte>.Empty);
        Assert.False(read.IsCompleted);

        await WriteAsync([7, 8]);

        Assert.Equal(0, await read);
        Assert.Equal(0, await ReadAsync(Memory<byte>.Empty));
        Assert.Equal(2, await ReadAsync(new byte[5]));
        read = ReadAsync(Memory<byte>.Empty);
        Assert.False(read.IsCompleted);
        _pipe.Writer.Complete();
        Assert.Equal(0, await read);
    }

    [Fact]
    public async Task A_read_can_be_cancelled_and_the_next_one_works()
    {
        using var source = new CancellationTokenSource();
        var read = ReadAsync(new byte[1], source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read);

        await WriteAsync([7]);
        Assert.Equal(1, await ReadAsync(new byte[1]));
    }

    [Fact]
    public async Task CancelPendingRead_cancels_the_read_and_loses_nothing()
    {
        var read = ReadAsync(new byte[1]);
        _pipe.Reader.CancelPendingRead();
        await Assert.ThrowsAsync<OperationCanceledException>(() => read);

        await WriteAsync([7]);
        _pipe.Reader.CancelPendingRead();
        await Assert.ThrowsAsync<OperationCanceledException>(
            () => ReadAsync(new byte[1]));
        Assert.Equal(1, await ReadAsync(new byte[1]));
    }

    [Fact]
    public async Task BeginRead_does_not_count_as_synchronous()
    {
        await WriteAsync([7, 8]);
        var buffer = new byte[4];
        var called = new TaskCompletionSource<object?>();

        var result = _stream.BeginRead(buffer, 1, 3, done => called.SetResult(done.AsyncState), "state");

        Assert.Equal("state", await called.Task.Within("the callback"));
        Assert.Equal(2, _stream.EndRead(result));
        Assert.Equal([0, 7, 8, 0], buffer);
    }

    [Fact]
    public async Task Synchronous_reads_are_refused_and_the_refusal_says_how_to_allow_them()
    {
        await WriteAsync([7]);

        var exception = Assert.Throws<InvalidOperationException>(() => _stream.Read(new byte[1], 0, 1));
        Assert.Throws<InvalidOperationException>(() => _stream.ReadExactly(new byte[1].AsSpan()));
        Assert.Throws<InvalidOperationException>(() => _stream.ReadByte());
        Assert.Throws<InvalidOperationException>(() => _stream.CopyTo(Stream.Null));
        Assert.Contains("AllowSynchronousIO", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Synchronous_reads_work_once_they_are_allowed_and_stop_when_they_are_not()
    {
        Control.AllowSynchronousIO = true;
        await WriteAsync([7, 8, 9]);
        _pipe.Writer.Complete();
        var buffer = new byte[2];

        Assert.Equal(1, _stream.Read(buffer, 1, 1));
        Assert.Equal([0, 7], buffer);
        Assert.Equal(8, _stream.ReadByte());
        Assert.Equal(1, _stream.Read(buffer.AsSpan()));
        Assert.Equal(-1, _stream.ReadByte());

        Control.AllowSynchronousIO = false;
        Assert.Throws<InvalidOperationException>(() => _stream.ReadByte());
    }

    [Fact]
    public async Task It_can_only_be_read()
    {
        AssertOneWay(_stream, reads: true);
        Assert.Throws<NotSupportedException>(() => _stream.Write([1], 0, 1));
        _stream.Flush();
        await _stream.FlushAsync(Token).Within("a flush of nothing");
    }

    [Fact]
    public async Task After_the_request_it_is_dead_though_the_pipe_lives_on()
    {
        await WriteAsync([7]);

        _fixture.Response.Fail();

        Assert.False(_stream.CanRead);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => ReadAsync(new byte[1]));
        Assert.Throws<ObjectDisposedException>(() => _stream.Read(new byte[1], 0, 1));
        Assert.Throws<ObjectDisposedException>(() => { _ = _stream.CopyToAsync(Stream.Null, 1, Token); });
        Assert.True(_pipe.Reader.TryRead(out var result));
        Assert.Equal(1, result.Buffer.Length);
    }

    [Fact]
    public async Task A_read_that_still_waits_at_the_end_takes_nothing_of_what_comes_later()
    {
        var buffer = new byte[1];
        var read = ReadAsync(buffer);
        _fixture.Response.Fail();

        await WriteAsync([7]);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => read);
        Assert.Equal(0, buffer[0]);
    }

    [Fact]
    public async Task Disposing_of_it_leaves_the_pipe_readable()
    {
        await _stream.DisposeAsync();
        await WriteAsync([7]);

        Assert.Equal(1, (await _pipe.Reader.ReadAsync(Token).AsTask().Within("the pipe")).Buffer.Length);
    }

    internal static void AssertOneWay(Stream stream, bool reads)
    {
        Assert.Equal((reads, !reads, false), (stream.CanRead, stream.CanWrite, stream.CanSeek));
        Assert.Throws<NotSupportedException>(() => stream.Length);
        Assert.Throws<NotSupportedException>(() => stream.Position);
        Assert.Throws<NotSupportedException>(() => stream.Position = 0);
        Assert.Throws<NotSupportedException>(() => stream.Seek(0, SeekOrigin.Begin));
        Assert.Throws<NotSupportedException>(() => stream.SetLength(0));
    }

    private Task<int> ReadAsync(Memory<byte> buffer, CancellationToken token = default) =>
        _stream.ReadAsync(buffer, token).AsTask().Within("the read");

    private async Task WriteAsync(byte[] content)
        => await _pipe.Writer.WriteAsync(content).AsTask().Within("the pipe to take the body");

    private async Task WriteInSegmentsAsync(byte[] content)
    {
        foreach (var piece in content.Chunk(7))
        {
            // Asking for more than is left in a segment begins another.
            piece.CopyTo(_pipe.Writer.GetMemory(16));
            _pipe.Writer.Advance(piece.Length);
        }

        await _pipe.Writer.FlushAsync().AsTask().Within("the pipe to take the body");
    }
}
