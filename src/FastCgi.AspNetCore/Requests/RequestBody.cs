using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// One request's STDIN on its way to the application. The connection writes under its gate; the application reads
/// through <see cref="RequestBodyReader"/>. A body that was whole and empty before the application began never touches
/// the pipe.
/// </summary>
internal sealed class RequestBody
{
    private readonly Pipe _pipe;
    private readonly Action _onRoom;

    private IRequestConnection? _connection;
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter _flush;
    private bool _flushPending;
    private bool _pipeUsed;
    private bool _dropped;

    public RequestBody(long? bufferSize)
    {
        long pause = bufferSize ?? 0;
        _pipe = new Pipe(new PipeOptions(
            readerScheduler: PipeScheduler.ThreadPool,
            writerScheduler: PipeScheduler.Inline,
            pauseWriterThreshold: pause,
            resumeWriterThreshold: Math.Max(pause / 2, pause == 0 ? 0 : 1),
            minimumSegmentSize: 4096,
            useSynchronizationContext: false));
        _onRoom = OnRoom;
    }

    /// <summary>Bytes of STDIN received so far.</summary>
    public long Received { get; private set; }

    /// <summary>CONTENT_LENGTH; null when it is not known.</summary>
    public long? DeclaredLength { get; private set; }

    /// <summary>The empty STDIN record has come.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>At least one STDIN record has come.</summary>
    public bool HasBegun => Received > 0 || HasEnded;

    /// <summary>Every declared byte has come, though perhaps not the record that says so.</summary>
    public bool IsWhole => HasEnded || (DeclaredLength is long length && Received >= length);

    /// <summary>The reader is slow: the socket is not read until there is room.</summary>
    public bool IsFull => _flushPending && !_flush.IsCompleted;

    /// <summary>The connection ended the body by a failure, or nobody will read it.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>Nothing came and nothing will, known before the application began.</summary>
    public bool IsKnownEmpty => HasEnded && !_pipeUsed;

    public PipeReader Pipe
    {
        get
        {
            Debug.Assert(!IsKnownEmpty, "An empty body has no pipe.");
            return _pipe.Reader;
        }
    }

    public void Begin(IRequestConnection connection) => _connection = connection;

    /// <summary>The length that the params declare; bytes beyond it are not the body's.</summary>
    public void Declare(long? contentLength) => DeclaredLength = contentLength;

    /// <summary>The application is about to begin: from now on the body may be read at any moment.</summary>
    public void Open()
    {
        if (!HasEnded)
        {
            _pipeUsed = true;
        }
    }

    public void Write(ReadOnlySpan<byte> content)
    {
        long excess = DeclaredLength is long length ? Received + content.Length - length : 0;
        if (excess > 0)
        {
            content = content[..(int)Math.Max(0, content.Length - excess)];
        }

        if (content.IsEmpty || HasEnded)
        {
            return;
        }

        Received += content.Length;
        if (IsClosed || _dropped)
        {
            return;
        }

        _pipeUsed = true;
        content.CopyTo(_pipe.Writer.GetSpan(content.Length));
        _pipe.Writer.Advance(content.Length);
        ValueTask<FlushResult> flush = _pipe.Writer.FlushAsync();
        if (!IsFull)
        {
            _flush = flush.ConfigureAwait(false).GetAwaiter();
            _flushPending = !_flush.IsCompleted;
            if (!_flushPending)
            {
                _flush.GetResult();
            }
        }
    }

    /// <summary>The empty STDIN record: the body is what came, and too little of it is an error to its reader.</summary>
    public void End()
    {
        if (HasEnded)
        {
            return;
        }

        HasEnded = true;
        if (IsClosed)
        {
            return;
        }

        IsClosed = true;
        if (DeclaredLength is long length && Received < length)
        {
            _pipeUsed = true;
            _pipe.Writer.Complete(new BadHttpRequestException(
                $"The request body ended after {Received} of {length} bytes: the client left, or the web server cut it.",
                StatusCodes.Status400BadRequest));
        }
        else if (_pipeUsed)
        {
            _pipe.Writer.Complete();
        }
    }

    /// <summary>The body will not come: every read fails with <paramref name="reason"/>, buffered bytes or not.</summary>
    public void Fail(Exception reason)
    {
        if (!IsClosed)
        {
            IsClosed = true;
            _pipeUsed = true;
            _pipe.Writer.Complete(reason);
        }
    }

    /// <summary>
    /// Call after the reading role was given back by a pause: reading resumes when the application has made room.
    /// </summary>
    public void ResumeWhenRead() => _flush.UnsafeOnCompleted(_onRoom);

    /// <summary>The application has left: what still comes is counted and dropped. A paused socket is read again.</summary>
    public void Drop()
    {
        _dropped = true;
        if (_pipeUsed)
        {
            _pipe.Reader.Complete();
        }
    }

    /// <summary>Both sides are done; the object may serve another request.</summary>
    public void Reset()
    {
        if (_pipeUsed)
        {
            _pipe.Writer.Complete();
            _pipe.Reader.Complete();
            _pipe.Reset();
        }

        _connection = null;
        _flush = default;
        DeclaredLength = null;
        Received = 0;
        _flushPending = _pipeUsed = _dropped = HasEnded = IsClosed = false;
    }

    private void OnRoom()
    {
        _flushPending = false;
        _connection?.ResumeReading();
    }
}
