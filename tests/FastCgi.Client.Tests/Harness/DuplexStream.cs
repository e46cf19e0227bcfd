using System.IO.Pipelines;

namespace FastCgi.Client.Tests.Harness;

/// <summary>One end of a connection in memory. Its disposal ends both directions.</summary>
internal sealed class DuplexStream : Stream
{
    private readonly Stream _input;
    private readonly Stream _output;

    private DuplexStream(PipeReader input, PipeWriter output)
    {
        _input = input.AsStream();
        _output = output.AsStream();
    }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public bool IsDisposed { get; private set; }

    /// <summary>Two ends; each direction holds <paramref name="window"/> bytes before its writer waits.</summary>
    public static (DuplexStream Client, DuplexStream Application) Pair(int window = 64 * 1024)
    {
        var options = new PipeOptions(pauseWriterThreshold: window, resumeWriterThreshold: window / 2, useSynchronizationContext: false);
        var there = new Pipe(options);
        var back = new Pipe(options);
        return (new DuplexStream(back.Reader, there.Writer), new DuplexStream(there.Reader, back.Writer));
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        try
        {
            return await _input.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException) when (IsDisposed)
        {
            throw Disposed();
        }
    }

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        try
        {
            await _output.WriteAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException) when (IsDisposed)
        {
            throw Disposed();
        }
    }

    public override int Read(byte[] buffer, int offset, int count) => _input.Read(buffer, offset, count);

    public override void Write(byte[] buffer, int offset, int count) => _output.Write(buffer, offset, count);

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    /// <summary>The other end reads an end of the stream and can still answer.</summary>
    public void EndSending() => _output.Dispose();

    /// <summary>A pipe has another exception than a socket that another thread has closed.</summary>
    private static ObjectDisposedException Disposed() => new(nameof(DuplexStream));

    protected override void Dispose(bool disposing)
    {
        IsDisposed = true;
        _input.Dispose();
        _output.Dispose();
        base.Dispose(disposing);
    }
}
