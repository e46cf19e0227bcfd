using System.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// Cuts one request's response into STDOUT records, in place, and decides when they leave: a small answer (head, body,
/// empty STDOUT, END_REQUEST) is one buffer and one send.
/// </summary>
/// <remarks>
/// The lock is for the monitor and for an abort; the application itself writes from one place at a time.
/// </remarks>
internal sealed partial class ResponseRecords
{
    private readonly Lock _lock = new();
    private readonly BufferPool _pool;
    private readonly RecordBlock _block;
    private readonly PreHeadBuffer _loose;

    private ISendQueue? _output;
    private ushort _requestId;
    private bool _leased;
    private bool _headWritten;
    private bool _flushPending;
    private int _heldLength;
    private bool _detached;

    public ResponseRecords(BufferPool pool)
    {
        _pool = pool;
        _block = new RecordBlock(pool);
        _loose = new PreHeadBuffer(pool);
    }

    /// <summary>Bytes advanced since the last flush, without record headers. What a hold keeps back was flushed.</summary>
    public int UnflushedBytes
    {
        get
        {
            lock (_lock)
            {
                return _loose.Length + _block.ContentLength - _heldLength;
            }
        }
    }

    /// <summary>The socket is lost or the peer ended the request: what is written goes nowhere.</summary>
    public bool IsDetached => Volatile.Read(ref _detached);

    public void Begin(ISendQueue output, ushort requestId, bool hasRecords)
    {
        _output = output;
        _requestId = requestId;
        _block.HasHeader = hasRecords;
    }

    public Memory<byte> GetMemory(int sizeHint)
    {
        lock (_lock)
        {
            _leased = false;
            Settle();
            if (!_headWritten || sizeHint > RecordBlock.MaxContent || HasNoRoomInHold(sizeHint))
            {
                return _loose.Lease(sizeHint);
            }

            MakeRoom(Math.Max(sizeHint, 1));
            _leased = true;
            return _block.Free;
        }
    }

    /// <summary>Whether <paramref name="count"/> bytes were leased by the last <see cref="GetMemory"/>.</summary>
    public bool CanAdvance(int count)
    {
        lock (_lock)
        {
            return _loose.IsLeased ? _loose.CanAdvance(count) : _leased && count <= _block.Room;
        }
    }

    public void Advance(int count)
    {
        lock (_lock)
        {
            Debug.Assert(CanAdvance(count), "The writer asks first.");
            if (_loose.IsLeased)
            {
                _loose.Advance(count);
                MoveLooseIntoBlocks();
                return;
            }

            _leased = false;
            _block.Advance(count);
            if (_flushPending && !_holding && _headHold is null)
            {
                Emit();
            }
        }
    }

    /// <summary>Memory that was leased before the response started must not be advanced after it.</summary>
    public void DropLease()
    {
        lock (_lock)
        {
            _leased = false;
            _loose.DropLease();
        }
    }

    /// <summary>Copies as much as one block takes and says how much; the caller may wait between two calls.</summary>
    public int Append(ReadOnlySpan<byte> data)
    {
        lock (_lock)
        {
            if (_detached || data.IsEmpty)
            {
                return data.Length;
            }

            _leased = false;
            Settle();
            if (!_headWritten || HasNoRoomInHold(data.Length))
            {
                _loose.Append(data);
                return data.Length;
            }

            int gathered = TryGather(data);
            return gathered > 0 ? gathered : AppendToBlock(data);
        }
    }

    /// <summary>
    /// Writes the head in front of everything that was written before it. Its length, or -1 when no record can hold it.
    /// </summary>
    public int TryWriteHead<TState>(HeadWriter<TState> write, in TState state)
    {
        lock (_lock)
        {
            Debug.Assert(!_headWritten, "The head is written once.");
            _block.Rent(RecordBlock.FirstSize);
            int length = write(_block.Free.Span, state);
            if (length < 0)
            {
                _block.GrowFor(RecordBlock.MaxContent);
                length = write(_block.Free.Span, state);
            }

            if (length >= 0)
            {
                _block.Advance(length);
                _headWritten = true;
                MoveLooseIntoBlocks();
            }

            return length;
        }
    }

    /// <summary>Sends what is there, or notes that it is to be sent when the run is unwound.</summary>
    public void Flush()
    {
        lock (_lock)
        {
            Settle();
            _flushPending = true;
            if (_holding || _headHold is not null)
            {
                _heldLength = _block.ContentLength + _loose.Length;
            }
            else
            {
                Emit();
            }
        }
    }

    /// <summary>The last body bytes and the end, in one send.</summary>
    public void End(ResponseEnd which, ProtocolStatus status)
    {
        lock (_lock)
        {
            if (!_detached && which != ResponseEnd.None)
            {
                _leased = false;
                ForgetHeadHold();
                _block.Rent(0);
                int end = _block.Finish(_requestId);
                end += WriteEnd(_block.Buffer.AsSpan(end), which, status);
                Send(end, isAnswer: true);
            }

            _detached = true;
        }
    }

    /// <summary>What is buffered leaves, and nothing after it: the response breaks off here.</summary>
    public void Break()
    {
        lock (_lock)
        {
            ForgetHeadHold();
            Emit();
            _detached = true;
        }
    }

    /// <summary>What is written from now on goes nowhere.</summary>
    public void Detach()
    {
        lock (_lock)
        {
            _detached = true;
        }
    }

    /// <summary>Forgets what was buffered: the response has not begun and another one takes its place.</summary>
    public void DiscardUnstarted()
    {
        lock (_lock)
        {
            Debug.Assert(!_headWritten, "What has begun cannot be taken back.");
            _loose.Clear();
        }
    }

    public void Reset()
    {
        lock (_lock)
        {
            _block.Release();
            _loose.Clear();
            _output = null;
            _headHold = null;
            _heldLength = 0;
            _leased = _headWritten = _holding = _flushPending = _detached = _headOut = false;
            _run++;
        }
    }

    /// <summary>The records that end a response; without records the close of the connection does.</summary>
    private int WriteEnd(Span<byte> destination, ResponseEnd which, ProtocolStatus status)
    {
        if (!_block.HasHeader)
        {
            return 0;
        }

        var body = new EndRequestBody(0, status);
        return which switch
        {
            ResponseEnd.Stdout => RecordWriter.WriteEndOfStream(destination, RecordType.Stdout, _requestId),
            ResponseEnd.Request => RecordWriter.WriteEndOfResponse(destination, _requestId, body),
            _ => RecordWriter.WriteEndOfLastResponse(destination, _requestId, body),
        };
    }

    private void Emit()
    {
        if (!_headWritten || _detached)
        {
            return;
        }

        _flushPending = false;
        if (_block.ContentLength > 0)
        {
            Send(_block.Finish(_requestId), isAnswer: false);
        }
    }

    private void Send(int end, bool isAnswer)
    {
        _heldLength = 0;
        Volatile.Write(ref _headOut, true);
        int start = _block.FirstByte;
        if (start == end)
        {
            return;
        }

        if (_leased)
        {
            SendCopy(_block.Buffer.AsSpan(start, end - start), isAnswer);
            _block.RestartBehind();
            return;
        }

        SendOutcome outcome = _output!.Send(_block.Buffer, start, end - start, isAnswer);
        _detached |= outcome == SendOutcome.Lost;
        if (outcome == SendOutcome.Queued)
        {
            _block.GiveAway();
        }
        else
        {
            _block.Restart();
        }
    }

    private void SendCopy(ReadOnlySpan<byte> record, bool isAnswer)
    {
        byte[] copy = _pool.Rent(record.Length);
        record.CopyTo(copy);
        SendOutcome outcome = _output!.Send(copy, 0, record.Length, isAnswer);
        _detached |= outcome == SendOutcome.Lost;
        if (outcome != SendOutcome.Queued)
        {
            _pool.Return(copy);
        }
    }

    private void MakeRoom(int needed)
    {
        _block.Rent(needed);
        if (_block.Room >= needed)
        {
            return;
        }

        if (!_block.CanGrowFor(needed))
        {
            EmitFullBlock();
            _block.Rent(RecordBlock.MaxContent);
        }

        if (_block.Room < needed)
        {
            _block.GrowFor(needed);
        }
    }

    /// <summary>A full block leaves whether the run is unwound or not: it would be a record of its own anyway.</summary>
    private void EmitFullBlock()
    {
        bool flushPending = _flushPending;
        if (_detached)
        {
            _heldLength = 0;
            _block.Restart();
            return;
        }

        Emit();
        _flushPending = flushPending;
    }

    private int AppendToBlock(ReadOnlySpan<byte> data)
    {
        MakeRoom(Math.Clamp(data.Length, 1, RecordBlock.MaxContent));
        return _block.Append(data);
    }

    private void MoveLooseIntoBlocks()
    {
        if (!_headWritten || _loose.Length == 0 || HasNoRoomInHold(0))
        {
            return;
        }

        for (int moved = 0; moved < _loose.Length;)
        {
            moved += AppendToBlock(_loose.Written[moved..]);
        }

        _loose.Clear();
    }
}
