using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

/// <summary>
/// The request body as a stream. The object belongs to one request: the pipe under it goes on to serve other
/// requests, so an application that kept this must meet a dead object, not the next client's bytes. Disposing of it
/// ends nothing, since the pipe is the other view of the same body.
/// </summary>
internal sealed class RequestBodyStream(PipeReader reader, IHttpBodyControlFeature bodyControl) : BodyStream
{
    private volatile PipeReader? _reader = reader;

    public override bool CanRead => _reader is not null;

    public override bool CanWrite => false;

    private PipeReader Reader => _reader ?? ThrowRequestIsOver();

    /// <summary>The request has ended: every later use throws.</summary>
    internal void Stop() => _reader = null;

    public override int Read(byte[] buffer, int offset, int count)
    {
        _ = Reader;
        ThrowIfDisallowed(bodyControl);
        return Read(new Span<byte>(buffer, offset, count));
    }

    public override int Read(Span<byte> buffer)
    {
        var reader = Reader;
        ThrowIfDisallowed(bodyControl);
        while (true)
        {
            var result = reader.ReadAsync().AsTask().GetAwaiter().GetResult();
            if (TryTake(result, buffer, out var taken))
            {
                return taken;
            }
        }
    }

    public override int ReadByte()
    {
        byte value = 0;
        return Read(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    /// <summary>As on Kestrel, nothing at 0 is a range of no array too.</summary>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(new Memory<byte>(buffer, offset, count), cancellationToken).AsTask();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            var result = await Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (TryTake(result, buffer.Span, out var taken))
            {
                return taken;
            }
        }
    }

    // Stream's own would read synchronously on another thread, which the policy forbids.
    public override IAsyncResult BeginRead(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
        => TaskToAsyncResult.Begin(ReadAsync(buffer, offset, count, default), callback, state);

    public override int EndRead(IAsyncResult asyncResult) => TaskToAsyncResult.End<int>(asyncResult);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(destination);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bufferSize);
        return Reader.CopyToAsync(destination, cancellationToken);
    }

    /// <summary>Nothing to do: a stream that is only read has nothing to flush.</summary>
    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override void Write(byte[] buffer, int offset, int count)
        => throw new NotSupportedException("The request body can only be read.");

    /// <summary>False: nothing has come yet, wait again.</summary>
    private bool TryTake(in ReadResult result, Span<byte> destination, out int taken)
    {
        // Looked at again, since the request may have ended while this read was waiting.
        var reader = Reader;
        var content = result.Buffer;
        taken = (int)Math.Min(content.Length, destination.Length);
        if (result.IsCanceled)
        {
            reader.AdvanceTo(content.Start);
            throw new OperationCanceledException("The read of the request body was cancelled.");
        }

        if (taken > 0)
        {
            var part = content.Slice(0, taken);
            part.CopyTo(destination);
            reader.AdvanceTo(part.End);
            return true;
        }

        // With bytes there, this is a read of zero bytes that has waited for them; without, the end or too early.
        var isDone = !content.IsEmpty || result.IsCompleted;
        reader.AdvanceTo(content.Start);
        return isDone;
    }

    [DoesNotReturn]
    private static PipeReader ThrowRequestIsOver()
        => throw new ObjectDisposedException(nameof(RequestBodyStream), "The request has ended: its body is gone.");
}
