using System.Diagnostics;
using System.IO.Pipelines;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// One request's STDIN on its way to the application. The connection writes under its gate; the application reads
/// through <see cref="RequestBodyReader"/>. A body that was whole and empty before the application began never touches
/// the pipe.
/// </summary>
/// <remarks>
/// FastCGI has no flow control for one request. A slow reader that has its connection for itself stops the socket, see
/// <see cref="TryPause"/>; in company, and while the head of its response is held back, what has no room goes through
/// a temporary file, see the part .Spill. The lock comes after the connection's gate.
/// </remarks>
internal sealed partial class RequestBody
{
    private readonly Lock _lock = new();
    private readonly FastCgiRequest _request;
    private readonly BufferPool _pool;
    private readonly Pipe _pipe;
    private readonly Action _onRoom;

    private IRequestSlot? _slot;
    private UploadHold? _hold;
    private PauseReason _paused;
    private bool _isFull;
    private bool _readsAhead;
    private bool _pipeUsed;
    private bool _dropped;
    private bool _closed;

    public RequestBody(FastCgiRequest request, long? bufferSize, BufferPool pool)
    {
        _request = request;
        _pool = pool;
        long pause = bufferSize ?? 0;
        _pipe = new Pipe(new PipeOptions(
            readerScheduler: new BodyReadScheduler(this),
            writerScheduler: PipeScheduler.Inline,
            pauseWriterThreshold: pause,
            resumeWriterThreshold: Math.Max(pause / 2, pause == 0 ? 0 : 1),
            minimumSegmentSize: 4096,
            useSynchronizationContext: false));
        _onRoom = OnRoom;
    }

    private enum PauseReason
    {
        None,

        /// <summary>Until the application has read.</summary>
        Room,

        /// <summary>Until the temporary file has taken what waits for it.</summary>
        Disk,
    }

    /// <summary>Null while no request is served.</summary>
    public IRequestSlot? Slot => _slot;

    /// <summary>Bytes of STDIN received so far.</summary>
    public long Received { get; private set; }

    /// <summary>CONTENT_LENGTH, for an authorizer 0; null when it is not known.</summary>
    public long? DeclaredLength { get; private set; }

    /// <summary>The empty STDIN record has come.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>At least one STDIN record has come.</summary>
    public bool HasBegun => Received > 0 || HasEnded;

    /// <summary>Every declared byte has come, though perhaps not the record that says so.</summary>
    public bool IsWhole => HasEnded || (DeclaredLength is long length && Received >= length);

    /// <summary>Nothing came and nothing will, known before the application began.</summary>
    public bool IsKnownEmpty => _closed && !_pipeUsed;

    public PipeReader Pipe
    {
        get
        {
            Debug.Assert(!IsKnownEmpty, "An empty body has no pipe.");
            return _pipe.Reader;
        }
    }

    public void Begin(IRequestSlot slot) => _slot = slot;

    /// <summary>The length that the params declare; bytes beyond it are not the body's.</summary>
    public void Declare(long? contentLength) => DeclaredLength = contentLength;

    /// <summary>The application is about to begin: from now on the body may be read at any moment.</summary>
    public void Open()
    {
        if (DeclaredLength == 0)
        {
            // Not every web server ends a stream that it never began.
            _closed = true;
        }

        _pipeUsed |= !_closed;
    }

    /// <summary>
    /// What comes from now on is the stream of an upgraded connection, without length and without limit. The body in front
    /// of it was empty.
    /// </summary>
    public void Upgrade()
    {
        lock (_lock)
        {
            DeclaredLength = null;
            HasEnded = _closed = false;
            _pipeUsed = true;
        }
    }

    /// <summary>Takes a piece of STDIN. <paramref name="mayPause"/> says whether the socket may wait for this reader.</summary>
    public void Write(ReadOnlySpan<byte> content, bool mayPause)
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

        lock (_lock)
        {
            Received += content.Length;
            if (_closed || _dropped)
            {
                return;
            }

            _pipeUsed = true;
            if (_spill is not null || (_isFull && (_readsAhead || !mayPause)))
            {
                Spill(content);
            }
            else
            {
                WriteToPipe(content);
            }

            if (IsWhole && !_closed)
            {
                // Its reader needs no record to know that this was the last byte.
                CompleteReading();
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

        if (!_pipeUsed && DeclaredLength is null or 0)
        {
            // Not open yet, and so nobody else's: most requests end here.
            HasEnded = _closed = true;
            return;
        }

        lock (_lock)
        {
            HasEnded = true;
            if (_closed)
            {
                return;
            }

            if (DeclaredLength is long length && Received < length)
            {
                Close(new BadHttpRequestException(
                    $"The request body ended after {Received} of {length} bytes: " +
                    "the client left, or the web server cut it.",
                    StatusCodes.Status400BadRequest));
                return;
            }

            CompleteReading();
        }
    }

    /// <summary>The body will not come: every read fails with <paramref name="reason"/>, buffered bytes or not.</summary>
    public void Fail(Exception reason)
    {
        lock (_lock)
        {
            if (!_closed)
            {
                Close(reason);
            }
        }
    }

    /// <summary>Whoever reads meets <paramref name="reason"/>, also where the params tell of no body. Before it is open.</summary>
    public void Refuse(Exception reason)
    {
        lock (_lock)
        {
            Close(reason);
        }
    }

    /// <summary>The reader is slow, and the socket has to wait for it, or for the disk.</summary>
    public bool WantsPause(bool mayPause)
    {
        lock (_lock)
        {
            return ReasonToPause(mayPause) != PauseReason.None;
        }
    }

    /// <summary>
    /// Call after the reading role was given back by a pause: reading resumes when there is room. False when there is
    /// room already.
    /// </summary>
    public bool TryPause(bool mayPause)
    {
        lock (_lock)
        {
            _paused = ReasonToPause(mayPause);
            return _paused != PauseReason.None;
        }
    }

    /// <summary>
    /// From now on the socket never waits for the application: the head of the response is held back until the body is
    /// whole. False when nothing is to come any more.
    /// </summary>
    public bool TryReadAhead(UploadHold hold)
    {
        lock (_lock)
        {
            if (IsWhole || _closed || _dropped)
            {
                return false;
            }

            _hold = hold;
            _readsAhead = true;
            Resume(PauseReason.Room);
            return true;
        }
    }

    /// <summary>The application has left: what still comes is counted and dropped. A paused socket is read again.</summary>
    public void Drop()
    {
        if (IsKnownEmpty)
        {
            return;
        }

        bool pipeUsed;
        lock (_lock)
        {
            pipeUsed = _pipeUsed;
            _dropped = true;
            DropSpill();
            EndHold();
        }

        if (pipeUsed)
        {
            _pipe.Reader.Complete();
        }
    }

    /// <summary>
    /// Both sides are done; the object may serve another request. Not while <see cref="IsSpillBusy"/>: the file is at
    /// work and has to find this object as it was.
    /// </summary>
    public void Reset()
    {
        if (_pipeUsed)
        {
            _pipe.Writer.Complete();
            _pipe.Reader.Complete();
            _pipe.Reset();
        }

        _slot = null;
        _hold = null;
        _paused = PauseReason.None;
        DeclaredLength = null;
        Received = 0;
        _isFull = _readsAhead = _pipeUsed = _dropped = HasEnded = _closed = false;
    }

    private PauseReason ReasonToPause(bool mayPause)
    {
        if (_closed || _dropped)
        {
            return PauseReason.None;
        }

        return _spill is { IsBehind: true } ? PauseReason.Disk
            : _isFull && mayPause && !_readsAhead ? PauseReason.Room
            : PauseReason.None;
    }

    private void WriteToPipe(ReadOnlySpan<byte> content)
    {
        content.CopyTo(_pipe.Writer.GetSpan(content.Length));
        _pipe.Writer.Advance(content.Length);
        ValueTask<FlushResult> flush = _pipe.Writer.FlushAsync();
        if (_isFull)
        {
            // The rest of one receive, and somebody waits for the room already.
            return;
        }

        var awaiter = flush.ConfigureAwait(false).GetAwaiter();
        _isFull = !awaiter.IsCompleted;
        if (_isFull)
        {
            awaiter.UnsafeOnCompleted(_onRoom);
        }
        else
        {
            awaiter.GetResult();
        }
    }

    private void CompleteReading()
    {
        _closed = true;
        EndHold();
        if (_pipeUsed && _spill is null)
        {
            _pipe.Writer.Complete();
        }
    }

    private void Close(Exception reason)
    {
        _closed = true;
        _pipeUsed = true;
        DropSpill();
        _pipe.Writer.Complete(reason);
        EndHold();
        Resume(PauseReason.Room);
        Resume(PauseReason.Disk);
    }

    private void OnRoom()
    {
        lock (_lock)
        {
            _isFull = false;
            EmptySpill();
            Resume(PauseReason.Room);
        }
    }

    private void EndHold()
    {
        _hold?.End();
        _hold = null;
    }

    private void Resume(PauseReason reason)
    {
        if (_paused == reason && reason != PauseReason.None)
        {
            _paused = PauseReason.None;
            _slot?.ResumeReading();
        }
    }
}
