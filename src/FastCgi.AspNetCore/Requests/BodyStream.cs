using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// A body as a stream: of the request, of the response, or both directions of an upgraded connection. It cannot seek,
/// it flushes each write, and it is asynchronous unless the application allows synchronous I/O. It belongs to one
/// request; every later use throws. Disposing it ends nothing, because the pipe shows the same body.
/// </summary>
/// <param name="reader">The body of the request, or null for a stream that is only written.</param>
/// <param name="writer">The body of the response, or null for a stream that is only read.</param>
/// <param name="response">The response, which knows when the stream has ended.</param>
internal sealed class BodyStream(PipeReader? reader, PipeWriter? writer, ApplicationResponse response) : Stream
{
    public override bool CanRead => reader is not null && !response.IsOver;

    public override bool CanWrite => writer is not null && !response.IsOver && response.CallbackFailure is null;

    public override bool CanSeek => false;

    public override long Length => throw NoSeek();

    public override long Position
    {
        get => throw NoSeek();
        set => throw NoSeek();
    }

    private PipeReader Reader =>
        reader is null ? throw WriteOnly()
        : response.IsOver ? throw BodyFailures.RequestIsOver()
        : reader;

    private PipeWriter Writer =>
        writer is null ? throw new NotSupportedException("The request body can only be read.")
        : CanWrite ? writer
        : throw new ObjectDisposedException(
            "The response has ended: nothing can be written to its body.", response.CallbackFailure);

    public override long Seek(long offset, SeekOrigin origin) => throw NoSeek();

    public override void SetLength(long value) => throw NoSeek();

    public override int Read(byte[] buffer, int offset, int count)
    {
        _ = Reader;
        ThrowIfSynchronousIsDisallowed();
        return Read(new Span<byte>(buffer, offset, count));
    }

    public override int Read(Span<byte> buffer)
    {
        PipeReader reader = Reader;
        ThrowIfSynchronousIsDisallowed();
        while (true)
        {
            ReadResult result = reader.ReadAsync().AsTask().GetAwaiter().GetResult();
            if (TryTake(result, buffer, out int taken))
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

    /// <summary>As on Kestrel, a null array is accepted for zero bytes at offset 0.</summary>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(new Memory<byte>(buffer, offset, count), cancellationToken).AsTask();

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        reader is null ? throw WriteOnly() : TakeAsync(buffer, cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> TakeAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (TryTake(result, buffer.Span, out int taken))
            {
                return taken;
            }
        }
    }

    // The Begin methods of Stream would read and write synchronously on another thread, which may be forbidden.
    public override IAsyncResult BeginRead(
        byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
        TaskToAsyncResult.Begin(ReadAsync(buffer, offset, count, default), callback, state);

    public override int EndRead(IAsyncResult asyncResult) => TaskToAsyncResult.End<int>(asyncResult);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(destination);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bufferSize);
        return Reader.CopyToAsync(destination, cancellationToken);
    }

    /// <summary>One write, not a copy and a flush: if it fails, none of its bytes are in the response.</summary>
    public override void Write(byte[] buffer, int offset, int count)
    {
        PipeWriter writer = Writer;
        ThrowIfSynchronousIsDisallowed();
        Wait(writer.WriteAsync(new ReadOnlyMemory<byte>(buffer, offset, count)));
    }

    /// <inheritdoc cref="ReadAsync(byte[], int, int, CancellationToken)"/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(new ReadOnlyMemory<byte>(buffer, offset, count), cancellationToken).AsTask();

    /// <summary>A write of zero bytes flushes, and so starts the response.</summary>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        Finish(Writer.WriteAsync(buffer, cancellationToken));

    public override IAsyncResult BeginWrite(
        byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
        TaskToAsyncResult.Begin(WriteAsync(buffer, offset, count, default), callback, state);

    public override void EndWrite(IAsyncResult asyncResult) => TaskToAsyncResult.End(asyncResult);

    /// <summary>Does nothing on a stream that is only read.</summary>
    public override void Flush()
    {
        if (writer is not null)
        {
            PipeWriter live = Writer;
            ThrowIfSynchronousIsDisallowed();
            Wait(live.FlushAsync());
        }
    }

    public override Task FlushAsync(CancellationToken cancellationToken) =>
        writer is null ? Task.CompletedTask : Finish(Writer.FlushAsync(cancellationToken)).AsTask();

    /// <summary>False if nothing has come yet, so that the caller has to wait again.</summary>
    private bool TryTake(in ReadResult result, Span<byte> destination, out int taken)
    {
        // Checked again, because the request may have ended during the wait.
        PipeReader reader = Reader;
        ReadOnlySequence<byte> content = result.Buffer;
        taken = (int)Math.Min(content.Length, destination.Length);
        if (result.IsCanceled)
        {
            reader.AdvanceTo(content.Start);
            throw new OperationCanceledException("The read of the request body was cancelled.");
        }

        if (taken > 0)
        {
            ReadOnlySequence<byte> part = content.Slice(0, taken);
            part.CopyTo(destination);
            reader.AdvanceTo(part.End);
            return true;
        }

        // If there are bytes, this is a read of zero bytes that has waited for them. Otherwise the body has ended, or
        // the caller has to wait again.
        bool isDone = !content.IsEmpty || result.IsCompleted;
        reader.AdvanceTo(content.Start);
        return isDone;
    }

    private static void Wait(ValueTask<FlushResult> flush) => flush.AsTask().GetAwaiter().GetResult();

    // IsCompleted: nothing reads any more. IsCanceled: the application cancelled the wait through the writer, but the
    // bytes are still sent. As on Kestrel, the stream reports neither.
    private static ValueTask Finish(ValueTask<FlushResult> flush)
    {
        if (!flush.IsCompletedSuccessfully)
        {
            return AwaitFlushAsync(flush);
        }

        _ = flush.Result;
        return default;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask AwaitFlushAsync(ValueTask<FlushResult> flush) =>
        await flush.ConfigureAwait(false);

    private void ThrowIfSynchronousIsDisallowed()
    {
        if (!response.AllowsSynchronousIO)
        {
            throw new InvalidOperationException(
                "Synchronous reads, writes and flushes of a body are not allowed, since each holds a thread while it "
                + "waits. Call the Async method, or set AllowSynchronousIO: in FastCgiServerOptions for all requests, "
                + "or on IHttpBodyControlFeature for this one.");
        }
    }

    private static NotSupportedException WriteOnly() => new("The response body can only be written.");

    private static NotSupportedException NoSeek() => new("The stream cannot be sought in.");
}
