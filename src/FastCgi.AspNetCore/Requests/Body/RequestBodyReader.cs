using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The application's side of the request body: the rules of ASP.NET Core (size limit, one failure for every later
/// read, nothing after the end of the request) around the pipe that the connection fills.
/// </summary>
internal sealed class RequestBodyReader(FastCgiRequest request, RequestBody body) : PipeReader
{
    private ReadOnlySequence<byte> _buffer;
    private long _consumed;
    private Exception? _failure;
    private bool _alive;
    private bool _completed;
    private bool _cancelEmpty;

    /// <summary>The body has been asked for: its size limit is fixed.</summary>
    public bool HasStarted { get; private set; }

    /// <summary>A read is under way, so the pipe below must not go to another request.</summary>
    public bool IsReading { get; private set; }

    /// <summary>The application has begun to read, and there is more for it to come.</summary>
    public bool IsAwaitingMore => HasStarted && !_completed && _failure is null && !body.IsWhole;

    public void Begin() => _alive = true;

    /// <summary>The request is over: whoever still holds this reader reads nothing.</summary>
    public void Stop() => _alive = false;

    public void Reset()
    {
        _buffer = default;
        _consumed = 0;
        _failure = null;
        _completed = _cancelEmpty = HasStarted = false;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        BeforeRead();
        if (body.IsKnownEmpty)
        {
            return cancellationToken.IsCancellationRequested
                ? ValueTask.FromCanceled<ReadResult>(cancellationToken)
                : ValueTask.FromResult(ReadEmpty());
        }

        ValueTask<ReadResult> read = body.Pipe.ReadAsync(cancellationToken);
        return read.IsCompletedSuccessfully
            ? ValueTask.FromResult(AfterRead(read.Result))
            : ReadSlowAsync(read);
    }

    public override bool TryRead(out ReadResult result)
    {
        BeforeRead();
        if (body.IsKnownEmpty)
        {
            result = ReadEmpty();
            return true;
        }

        try
        {
            if (!body.Pipe.TryRead(out result))
            {
                return false;
            }
        }
        catch (BadHttpRequestException exception)
        {
            throw Fail(exception);
        }

        result = AfterRead(result);
        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (!_buffer.IsEmpty)
        {
            _consumed += _buffer.Slice(_buffer.Start, consumed).Length;
            _buffer = default;
        }

        if (_alive && !_completed && !body.IsKnownEmpty)
        {
            body.Pipe.AdvanceTo(consumed, examined);
        }
    }

    public override void CancelPendingRead()
    {
        if (body.IsKnownEmpty)
        {
            _cancelEmpty = true;
        }
        else if (_alive && !_completed)
        {
            body.Pipe.CancelPendingRead();
        }
    }

    public override void Complete(Exception? exception = null)
    {
        if (!_alive || _completed)
        {
            return;
        }

        // The pipe itself lives on until the request ends: what still arrives has to be taken from the socket.
        _completed = true;
        _buffer = default;
        body.Drop();
        if (exception is not null)
        {
            request.ReportApplicationError(exception);
        }
    }

    private void BeforeRead()
    {
        ObjectDisposedException.ThrowIf(!_alive, this);
        if (_completed)
        {
            throw new InvalidOperationException("The request body cannot be read: its reader was completed.");
        }

        if (_failure is not null)
        {
            throw _failure;
        }

        if (!HasStarted)
        {
            HasStarted = true;
            request.OnBodyReadingStarted();
            if (request.ContentLength > request.MaxRequestBodySize)
            {
                throw TooLarge();
            }
        }
    }

    private ReadResult ReadEmpty()
    {
        bool cancelled = _cancelEmpty;
        _cancelEmpty = false;
        return new ReadResult(ReadOnlySequence<byte>.Empty, cancelled, isCompleted: true);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ReadSlowAsync(ValueTask<ReadResult> read)
    {
        IsReading = true;
        try
        {
            return AfterRead(await read.ConfigureAwait(false));
        }
        catch (BadHttpRequestException exception)
        {
            throw Fail(exception);
        }
        finally
        {
            IsReading = false;
        }
    }

    private ReadResult AfterRead(ReadResult result)
    {
        _buffer = result.Buffer;
        if (_consumed + _buffer.Length > request.MaxRequestBodySize)
        {
            body.Pipe.AdvanceTo(_buffer.Start, _buffer.End);
            _buffer = default;
            throw TooLarge();
        }

        return result;
    }

    private BadHttpRequestException TooLarge() => Fail(RequestBody.TooLarge(request.MaxRequestBodySize));

    private BadHttpRequestException Fail(BadHttpRequestException exception)
    {
        _failure = exception;
        request.SetBadRequest(exception);
        return exception;
    }
}
