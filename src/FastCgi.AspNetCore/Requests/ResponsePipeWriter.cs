using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Files;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The application's side of the response body: the rules of ASP.NET Core (start at the first write, Content-Length, no
/// body where none is allowed, no errors after an abort) around <see cref="ResponseRecords"/>. Created for each request
/// that writes. Does nothing after the end of the request.
/// </summary>
/// <param name="response">The response. After its end the writer writes nothing.</param>
/// <param name="isUpgraded">True for the stream of an upgraded connection. Other writers end with the upgrade.</param>
internal sealed class ResponsePipeWriter(ApplicationResponse response, bool isUpgraded = false) : PipeWriter
{
    private const int SmallestScratch = 4096;

    // Memory for dropped bytes. Not from the pool, because a task that kept the writer may write into it at any time.
    private byte[]? _scratch;

    public OutputWaits Waits => response.Waits;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => Records.UnflushedBytes(response);

    private static FlushResult Cancelled => new(isCanceled: true, isCompleted: false);

    private ResponseRecords Records => response.Records;

    private ISendQueue Output => response.Connection.Output;

    private bool MustWait => Output.IsFull && !Records.IsDetached;

    private bool IsStopped => response.IsOver || response.IsUpgrade != isUpgraded;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        BeforeWrite();
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        if (response.IsBodyDropped)
        {
            return LeaseScratch(sizeHint);
        }

        response.HoldUnflushed(sizeHint);
        return Records.GetMemory(response, sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        BeforeWrite();
        if (bytes == 0)
        {
            return;
        }

        response.Count(bytes);

        // An abort may have come since. Then the memory was leased from the records.
        bool isLeased = response.IsBodyDropped
            ? bytes <= (_scratch?.Length ?? 0) || Records.CanAdvance(response, bytes)
            : Records.TryAdvance(response, bytes);
        if (!isLeased)
        {
            response.Uncount(bytes);
            throw new InvalidOperationException(
                $"Cannot advance by {bytes} bytes: the last GetMemory or GetSpan gave less, " +
                "or the response has started since.");
        }
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfStopped();
        cancellationToken.ThrowIfCancellationRequested();

        return response.IsCompleted
            ? new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true))
            : Write(default, cancellationToken);
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        ThrowIfStopped();
        cancellationToken.ThrowIfCancellationRequested();
        response.ThrowIfUnwritable();
        return Write(source, cancellationToken);
    }

    public override void CancelPendingFlush() => Waits.Cancel();

    public override void Complete(Exception? exception = null)
    {
        if (!IsStopped && !response.IsCompleted)
        {
            response.Complete(exception);
        }
    }

    /// <summary>Without an exception this ends the response, although the application continues.</summary>
    public override ValueTask CompleteAsync(Exception? exception = null)
    {
        if (exception is null && !IsStopped && !response.IsCompleted)
        {
            return new ValueTask(response.CompleteAsync());
        }

        Complete(exception);
        return default;
    }

    /// <summary>Waits until the peer has taken enough. False if the caller cancelled only this flush.</summary>
    public ValueTask<bool> WaitForOutputAsync(CancellationToken cancellationToken, bool all = false) =>
        EndAsync(Waits.WaitAsync(all, cancellationToken), cancellationToken);

    /// <summary>
    /// Sends one record with bytes of a file, or only counts all bytes if the body is dropped. <paramref name="done"/>
    /// is their number, or 0 if they have to be copied. The response has started.
    /// </summary>
    /// <returns>False if the file has become shorter.</returns>
    public bool TrySendFile(SafeFileHandle file, long offset, long count, out long done)
    {
        BeforeWrite();
        if (response.IsBodyDropped)
        {
            response.Count(count);
            done = count;
            return true;
        }

        int piece = (int)Math.Min(count, FastCgiConstants.MaxAlignedContentLength);
        response.Count(piece);
        SendOutcome outcome = SendOutcome.Truncated;
        try
        {
            outcome = Records.TrySendFile(response, new FilePart(file, offset, piece));
        }
        finally
        {
            if (outcome == SendOutcome.Truncated)
            {
                // The record has been sent, with zeros in it.
                response.Cut();
            }
        }

        done = outcome == SendOutcome.Queued ? 0 : piece;
        response.Uncount(piece - done);
        return outcome != SendOutcome.Truncated;
    }

    /// <summary>Waits until the head may leave. False if the caller cancelled only this flush.</summary>
    public ValueTask<bool> WaitForUploadAsync(Task held, CancellationToken cancellationToken) =>
        EndAsync(Waits.WaitForAsync(held, cancellationToken), cancellationToken, hasWritten: false);

    /// <summary>
    /// Waits for another write that itself waits with unwritten bytes. Otherwise an application that awaits its other
    /// writes would fill the memory after it. False if the caller cancelled only this flush.
    /// </summary>
    public ValueTask<bool> WaitForWriteAsync(CancellationToken cancellationToken) =>
        EndAsync(Waits.WaitForAsync(Waits.FinishWritesAsync().AsTask(), cancellationToken), cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> EndAsync(
        ValueTask<OutputWaitEnd> wait, CancellationToken cancellationToken, bool hasWritten = true)
    {
        OutputWaitEnd end = await wait.ConfigureAwait(false);
        if (end == OutputWaitEnd.TokenCancelled)
        {
            if (hasWritten)
            {
                // A part of the bytes may already be on its way, so nothing can follow them.
                response.Abort();
            }

            throw new OperationCanceledException(cancellationToken);
        }

        return end != OutputWaitEnd.FlushCancelled;
    }

    /// <summary>Writes and flushes. A flush alone has no bytes.</summary>
    private ValueTask<FlushResult> Write(ReadOnlyMemory<byte> source, CancellationToken cancellationToken) =>
        response.WaitForUpload(source.Length) is { } held
            ? WriteHeldAsync(held, source, cancellationToken)
            : WriteNow(source, cancellationToken);

    /// <summary>Stores the bytes after the head at once. Only the flush waits for the head.</summary>
    private async ValueTask<FlushResult> WriteHeldAsync(
        Task held, ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        FlushResult written = await WriteNow(source, cancellationToken).ConfigureAwait(false);
        if (written.IsCanceled)
        {
            return written;
        }

        ValueTask<OutputWaitEnd> wait = Waits.WaitForAsync(held, cancellationToken);
        return await EndAsync(wait, cancellationToken, hasWritten: !source.IsEmpty).ConfigureAwait(false)
            ? await AfterFlush(cancellationToken).ConfigureAwait(false)
            : Cancelled;
    }

    private ValueTask<FlushResult> WriteNow(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        Task start = response.StartAsync(cancellationToken, source.Length);
        if (start.IsCompletedSuccessfully)
        {
            return source.IsEmpty ? FlushStarted(cancellationToken) : WriteCounted(source, cancellationToken);
        }

        return source.IsEmpty
            ? FlushAfterStartAsync(start, cancellationToken)
            : WriteAfterStartAsync(start, source, cancellationToken);
    }

    /// <summary>Does not count as a write: a callback that completes the response would wait for it.</summary>
    private async ValueTask<FlushResult> FlushAfterStartAsync(Task start, CancellationToken cancellationToken)
    {
        await start.ConfigureAwait(false);
        return await FlushStarted(cancellationToken).ConfigureAwait(false);
    }

    private async ValueTask<FlushResult> WriteAfterStartAsync(
        Task start, ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        ValueTask<FlushResult> write;
        Waits.BeginWrite();
        try
        {
            await start.ConfigureAwait(false);
            write = WriteCounted(source, cancellationToken);
        }
        finally
        {
            Waits.FinishWrite();
        }

        return await write.ConfigureAwait(false);
    }

    private ValueTask<FlushResult> WriteCounted(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        if (response.IsBodyDropped)
        {
            return FlushStarted(cancellationToken);
        }

        int taken = Records.Append(response, source.Span, flushes: true, response.LeavesWhole());
        return taken == source.Length ? AfterFlush(cancellationToken) : WriteRest(source[taken..], cancellationToken);
    }

    /// <summary>Writes block by block, without a wait as long as the peer takes them.</summary>
    private ValueTask<FlushResult> WriteRest(ReadOnlyMemory<byte> rest, CancellationToken cancellationToken)
    {
        while (!rest.IsEmpty && !MustWait)
        {
            rest = rest[Records.Append(response, rest.Span)..];
        }

        return rest.IsEmpty ? FlushStarted(cancellationToken) : WriteWaitingAsync(rest, cancellationToken);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<FlushResult> WriteWaitingAsync(
        ReadOnlyMemory<byte> rest, CancellationToken cancellationToken)
    {
        bool isCancelled = false;
        Waits.BeginWrite();
        Records.BeginRest(response);
        try
        {
            while (!rest.IsEmpty)
            {
                if (!isCancelled && MustWait)
                {
                    isCancelled = !await WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
                }

                rest = rest[Records.AppendRest(response, rest.Span)..];
            }
        }
        finally
        {
            Records.EndRest(response);
            Waits.FinishWrite();
        }

        if (isCancelled)
        {
            // The write no longer waits. All its bytes are written, and still leave.
            FlushRecords();
            return Cancelled;
        }

        return await FlushStarted(cancellationToken).ConfigureAwait(false);
    }

    private ValueTask<FlushResult> FlushStarted(CancellationToken cancellationToken)
    {
        FlushRecords();
        return AfterFlush(cancellationToken);
    }

    private void FlushRecords()
    {
        // A callback may have completed the response.
        if (response.IsOpen)
        {
            Records.Flush(response, response.LeavesWhole());
        }
    }

    private ValueTask<FlushResult> AfterFlush(CancellationToken cancellationToken)
    {
        if (response.StartedWaits?.TakeCancellation() == true)
        {
            return new ValueTask<FlushResult>(Cancelled);
        }

        if (IsStopped || response.IsAborted || Records.IsDetached)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        return Records.IsRestWaiting ? FlushBehindRestAsync(cancellationToken)
            : Output.IsFull ? FlushSlowAsync(cancellationToken)
            : new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: false));
    }

    private async ValueTask<FlushResult> FlushBehindRestAsync(CancellationToken cancellationToken) =>
        await WaitForWriteAsync(cancellationToken).ConfigureAwait(false)
            ? await AfterFlush(cancellationToken).ConfigureAwait(false)
            : Cancelled;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<FlushResult> FlushSlowAsync(CancellationToken cancellationToken)
    {
        bool drained = await WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
        return new FlushResult(isCanceled: !drained, isCompleted: Records.IsDetached);
    }

    private void BeforeWrite()
    {
        ThrowIfStopped();
        response.ThrowIfUnwritable();
    }

    private void ThrowIfStopped()
    {
        if (IsStopped)
        {
            throw response.IsOver ? ResponseRecords.RequestIsOver() : new InvalidOperationException(
                "The connection was upgraded: write to the stream that UpgradeAsync returned.");
        }
    }

    private byte[] LeaseScratch(int sizeHint)
    {
        if (_scratch is null || _scratch.Length < sizeHint)
        {
            _scratch = new byte[Math.Max(sizeHint, SmallestScratch)];
        }

        return _scratch;
    }
}
