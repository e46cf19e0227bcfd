using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

/// <summary>
/// The response body as a stream: each write is flushed. The object belongs to one request: the writer under it goes
/// on to serve other requests, so an application that kept this must meet a dead object, not write into the next
/// client's response.
/// </summary>
internal sealed class ResponseBodyStream(PipeWriter writer, IHttpBodyControlFeature bodyControl) : BodyStream
{
    private volatile PipeWriter? _writer = writer;
    private Exception? _reason;

    public override bool CanRead => false;

    public override bool CanWrite => _writer is not null;

    private PipeWriter Writer => _writer ?? ThrowResponseIsOver();

    /// <summary>The response has ended: every later use throws.</summary>
    /// <param name="reason">What the exception carries inside; null where the response ended as it should.</param>
    internal void Stop(Exception? reason = null)
    {
        _reason = reason;
        _writer = null;
    }

    /// <summary>One write, not a copy and a flush: a write that fails leaves nothing in the response.</summary>
    public override void Write(byte[] buffer, int offset, int count)
    {
        var writer = Writer;
        ThrowIfDisallowed(bodyControl);
        Wait(writer.WriteAsync(new ReadOnlyMemory<byte>(buffer, offset, count)));
    }

    /// <summary>As on Kestrel, nothing at 0 is a range of no array too.</summary>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => WriteAsync(new ReadOnlyMemory<byte>(buffer, offset, count), cancellationToken).AsTask();

    /// <summary>Writing nothing is a flush, and so starts the response.</summary>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        => Finish(Writer.WriteAsync(buffer, cancellationToken));

    // Stream's own would write synchronously on another thread, which the policy forbids.
    public override IAsyncResult BeginWrite(
        byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
        => TaskToAsyncResult.Begin(WriteAsync(buffer, offset, count, default), callback, state);

    public override void EndWrite(IAsyncResult asyncResult) => TaskToAsyncResult.End(asyncResult);

    public override void Flush()
    {
        var writer = Writer;
        ThrowIfDisallowed(bodyControl);
        Wait(writer.FlushAsync());
    }

    public override Task FlushAsync(CancellationToken cancellationToken)
        => Finish(Writer.FlushAsync(cancellationToken)).AsTask();

    public override int Read(byte[] buffer, int offset, int count)
        => throw new NotSupportedException("The response body can only be written.");

    private static void Wait(ValueTask<FlushResult> flush) => flush.AsTask().GetAwaiter().GetResult();

    // IsCompleted means that nobody reads any more, and IsCanceled that the application gave up a wait by the writer,
    // behind which the bytes leave all the same. Both are silent here, as on Kestrel.
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
    private static async ValueTask AwaitFlushAsync(ValueTask<FlushResult> flush)
        => await flush.ConfigureAwait(false);

    [DoesNotReturn]
    private PipeWriter ThrowResponseIsOver()
        => throw new ObjectDisposedException("The response has ended: nothing can be written to its body.", _reason);
}
