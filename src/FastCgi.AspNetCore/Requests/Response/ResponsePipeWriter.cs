using System.IO.Pipelines;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// The application's side of the response body: the rules of ASP.NET Core (start at the first write, Content-Length,
/// no body where none may be, silence after an abort) around <see cref="ResponseRecords"/>.
/// </summary>
internal sealed class ResponsePipeWriter(FastCgiRequest request, ResponseRecords output, BufferPool pool) : PipeWriter
{
    private byte[]? _scratch;
    private bool _alive;
    private bool _completed;
    private bool _cancelFlush;
    private TaskCompletionSource? _waitCancelled;

    /// <summary>Body bytes that the application has written, sent or not, suppressed or not.</summary>
    public long Written { get; private set; }

    /// <summary>A flush is waiting for the peer, so this object must not go to another request.</summary>
    public bool IsWaiting => _waitCancelled is not null;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => output.UnflushedBytes;

    public void Begin() => _alive = true;

    /// <summary>The request is over: whoever still holds this writer writes nothing.</summary>
    public void Stop() => _alive = false;

    /// <summary>The response is complete, though the application still runs.</summary>
    public void MarkCompleted() => _completed = true;

    /// <summary>What was written goes with the response it belonged to.</summary>
    public void Discard() => Written = 0;

    public void Reset()
    {
        if (_scratch is not null)
        {
            pool.Return(_scratch);
            _scratch = null;
        }

        Written = 0;
        _completed = _cancelFlush = false;
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        BeforeWrite();
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        return request.IsBodyDropped ? LeaseScratch(sizeHint) : output.GetMemory(sizeHint);
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

        if (request.IsBodyDropped)
        {
            // An abort may have come since, and then the memory was leased from the output.
            if (bytes > (_scratch?.Length ?? 0) && !output.CanAdvance(bytes))
            {
                throw new InvalidOperationException($"Cannot advance by {bytes} bytes: GetMemory gave less.");
            }

            Count(bytes);
            return;
        }

        if (!output.CanAdvance(bytes))
        {
            throw new InvalidOperationException(
                $"Cannot advance by {bytes} bytes: the last GetMemory or GetSpan gave less, " +
                "or the response has started since.");
        }

        Count(bytes);
        output.Advance(bytes);
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(!_alive, this);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (request.IsAborted || _completed)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        if (request.WaitForBody(0) is { } held)
        {
            return FlushHeldAsync(held, cancellationToken);
        }

        return FlushNow(cancellationToken);
    }

    private ValueTask<FlushResult> FlushNow(CancellationToken cancellationToken)
    {
        Task start = request.StartResponseAsync(cancellationToken);
        return start.IsCompletedSuccessfully
            ? FlushStarted(cancellationToken)
            : FlushAfterStartAsync(start, cancellationToken);
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        BeforeWrite();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (request.IsAborted)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        return request.WaitForBody(source.Length) is { } held
            ? WriteHeldAsync(held, source, cancellationToken)
            : WriteNow(source, cancellationToken);
    }

    public override void CancelPendingFlush()
    {
        if (_waitCancelled is { } waiting)
        {
            waiting.TrySetResult();
        }
        else
        {
            _cancelFlush = true;
        }
    }

    public override void Complete(Exception? exception = null)
    {
        if (!_alive || _completed)
        {
            return;
        }

        _completed = true;
        if (exception is not null)
        {
            request.ReportApplicationError(exception);
        }
    }

    /// <summary>Waits until the peer has taken enough; false when the caller cancelled only this flush.</summary>
    public async ValueTask<bool> WaitForOutputAsync(CancellationToken cancellationToken, bool all = false)
    {
        Task wait = request.Slot.Output.WaitForRoomAsync(all);
        if (wait.IsCompleted)
        {
            return true;
        }

        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _waitCancelled = cancelled;
        try
        {
            await Task.WhenAny(wait, cancelled.Task).WaitAsync(cancellationToken).ConfigureAwait(false);
            return !cancelled.Task.IsCompleted;
        }
        catch (OperationCanceledException)
        {
            // Half of what was flushed may be on its way; nothing can be sent after it any more.
            request.Abort();
            throw;
        }
        finally
        {
            _waitCancelled = null;
        }
    }

    /// <summary>
    /// Sends one record with bytes of a file, or counts them all where the body goes nowhere: how many are
    /// <paramref name="done"/>. 0: they have to be copied. The response has started.
    /// </summary>
    /// <returns>False: the file has become shorter.</returns>
    public bool TrySendFile(SafeFileHandle file, long offset, long count, out long done)
    {
        BeforeWrite();
        if (request.IsBodyDropped)
        {
            Count(count);
            done = count;
            return true;
        }

        int piece = (int)Math.Min(count, FastCgiConstants.MaxAlignedContentLength);
        request.BeforeBody(Written, piece);
        SendOutcome outcome = output.TrySendFile(new FilePart(file, offset, piece));
        done = outcome == SendOutcome.Queued ? 0 : piece;
        Written += done;
        return outcome != SendOutcome.Truncated;
    }

    /// <summary>Waits until the head may leave; false when the caller cancelled only this flush.</summary>
    public async ValueTask<bool> WaitForBodyAsync(Task held, CancellationToken cancellationToken)
    {
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _waitCancelled = cancelled;
        try
        {
            await Task.WhenAny(held, cancelled.Task).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _waitCancelled = null;
        }

        // The request may have ended meanwhile, and the next one must not meet this write.
        ObjectDisposedException.ThrowIf(!_alive, this);
        return !cancelled.Task.IsCompleted;
    }

    private async ValueTask<FlushResult> FlushHeldAsync(Task held, CancellationToken cancellationToken)
    {
        _cancelFlush |= !await WaitForBodyAsync(held, cancellationToken).ConfigureAwait(false);
        return await FlushNow(cancellationToken).ConfigureAwait(false);
    }

    private async ValueTask<FlushResult> WriteHeldAsync(
        Task held, ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        _cancelFlush |= !await WaitForBodyAsync(held, cancellationToken).ConfigureAwait(false);
        return await WriteNow(source, cancellationToken).ConfigureAwait(false);
    }

    private ValueTask<FlushResult> WriteNow(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        if (!request.HasResponseStarted)
        {
            return WriteFirst(source, cancellationToken);
        }

        Count(source.Length);
        return WriteCounted(source, cancellationToken);
    }

    private async ValueTask<FlushResult> FlushAfterStartAsync(Task start, CancellationToken cancellationToken)
    {
        await start.ConfigureAwait(false);
        return await FlushStarted(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Counted before the start, which judges it: a first write that breaks a rule leaves the response unstarted, so
    /// that the client gets a 500 and not a torn answer.
    /// </summary>
    private ValueTask<FlushResult> WriteFirst(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        Written += source.Length;
        Task start;
        try
        {
            start = request.StartResponseAsync(cancellationToken);
        }
        catch
        {
            Written -= source.Length;
            throw;
        }

        return start.IsCompletedSuccessfully
            ? WriteCounted(source, cancellationToken)
            : WriteAfterStartAsync(start, source, cancellationToken);
    }

    private async ValueTask<FlushResult> WriteAfterStartAsync(
        Task start, ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        try
        {
            await start.ConfigureAwait(false);
        }
        catch
        {
            Written -= source.Length;
            throw;
        }

        return await WriteCounted(source, cancellationToken).ConfigureAwait(false);
    }

    private ValueTask<FlushResult> WriteCounted(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        if (request.IsBodyDropped)
        {
            return FlushStarted(cancellationToken);
        }

        int copied = output.Append(source.Span);
        return copied == source.Length
            ? FlushStarted(cancellationToken)
            : WriteRestAsync(source[copied..], cancellationToken);
    }

    private async ValueTask<FlushResult> WriteRestAsync(ReadOnlyMemory<byte> rest, CancellationToken cancellationToken)
    {
        while (!rest.IsEmpty)
        {
            if (request.Slot.Output.IsFull && !output.IsDetached)
            {
                await WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
            }

            rest = rest[output.Append(rest.Span)..];
        }

        return await FlushStarted(cancellationToken).ConfigureAwait(false);
    }

    private ValueTask<FlushResult> FlushStarted(CancellationToken cancellationToken)
    {
        if (!request.IsBodyDropped || !request.IsAborted)
        {
            output.Flush();
        }

        if (_cancelFlush)
        {
            _cancelFlush = false;
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        if (output.IsDetached)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        return request.Slot.Output.IsFull
            ? FlushSlowAsync(cancellationToken)
            : new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: false));
    }

    private async ValueTask<FlushResult> FlushSlowAsync(CancellationToken cancellationToken)
    {
        bool drained = await WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
        return new FlushResult(isCanceled: !drained, isCompleted: output.IsDetached);
    }

    private void BeforeWrite()
    {
        ObjectDisposedException.ThrowIf(!_alive, this);
        if (_completed)
        {
            throw request.ResponseCompleted();
        }

        request.ThrowIfOnStartingFailed();
    }

    private void Count(long bytes)
    {
        request.BeforeBody(Written, bytes);
        Written += bytes;
    }

    private Memory<byte> LeaseScratch(int sizeHint)
    {
        if (_scratch is null || _scratch.Length < sizeHint)
        {
            byte[]? small = _scratch;
            _scratch = pool.Rent(Math.Max(sizeHint, 4096));
            if (small is not null)
            {
                pool.Return(small);
            }
        }

        return _scratch;
    }
}
