using System.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Cuts one request's response into STDOUT records, in place: a block begins with the eight bytes of a record header,
/// which are filled in when the block leaves, and keeps room behind the content for the records that end a request.
/// So a small answer (head, body, empty STDOUT, END_REQUEST) is one buffer and one send.
/// </summary>
/// <remarks>
/// <code>
/// | header | head, body ...                       | free ... | empty STDOUT | END_REQUEST |
/// ^ _recordStart     _position ^         _limit ^            24 bytes, always free
/// </code>
/// The lock is for the monitor and for an abort; the application itself writes from one place at a time.
/// </remarks>
internal sealed class ResponseOutput
{
    private const int FirstBlockSize = 4096;
    private const int MaxBlockSize = 64 * 1024;
    private const int HeaderSize = FastCgiConstants.HeaderSize;
    private const int TrailerSize = RecordWriter.EndOfResponseSize;

    private readonly Lock _lock = new();
    private readonly BufferPool _pool;

    private IRequestConnection? _connection;
    private ushort _requestId;
    private byte[]? _block;
    private int _recordStart;
    private int _position;
    private bool _leased;

    // What was written before the head is known, or under a lease larger than any record.
    private byte[]? _loose;
    private int _looseLength;
    private bool _looseLease;

    private bool _headWritten;
    private bool _holding;
    private bool _flushPending;
    private int _run;
    private bool _detached;

    public ResponseOutput(BufferPool pool) => _pool = pool;

    /// <summary>Bytes advanced and not yet given to the connection, without record headers.</summary>
    public int UnflushedBytes
    {
        get
        {
            lock (_lock)
            {
                return _looseLength + (_block is null ? 0 : _position - _recordStart - HeaderSize);
            }
        }
    }

    /// <summary>The socket is lost or the peer ended the request: what is written goes nowhere.</summary>
    public bool IsDetached => Volatile.Read(ref _detached);

    /// <summary>The largest head that fits into one record together with what follows it.</summary>
    public static int MaxHeadSize => MaxBlockSize - HeaderSize - TrailerSize;

    public void Begin(IRequestConnection connection, ushort requestId)
    {
        _connection = connection;
        _requestId = requestId;
    }

    /// <summary>
    /// From here to <see cref="EndHold"/> a flush waits: the application runs on the thread that received the request,
    /// and what it flushes before it first really waits leaves together.
    /// </summary>
    /// <returns>Names this hold, since the request may be another one by the time it is ended.</returns>
    public int BeginHold()
    {
        lock (_lock)
        {
            _holding = true;
            return ++_run;
        }
    }

    /// <summary>The run was unwound, by its end or by its first real wait: what it flushed leaves now.</summary>
    public void EndHold(int run)
    {
        lock (_lock)
        {
            if (_run == run)
            {
                ReleaseHeld();
            }
        }
    }

    /// <summary>The run keeps its thread: what it flushed leaves, and later flushes leave at once.</summary>
    public void BreakHold()
    {
        lock (_lock)
        {
            ReleaseHeld();
        }
    }

    public Memory<byte> GetMemory(int sizeHint)
    {
        lock (_lock)
        {
            _leased = false;
            if (!_headWritten || sizeHint > MaxBlockSize - HeaderSize - TrailerSize)
            {
                return LeaseLoose(sizeHint);
            }

            MakeRoom(Math.Max(sizeHint, 1));
            _leased = true;
            return _block.AsMemory(_position, Limit - _position);
        }
    }

    public void Advance(int count)
    {
        lock (_lock)
        {
            if (_looseLease)
            {
                _looseLease = false;
                AdvanceLoose(count);
                return;
            }

            if (!_leased || count > Limit - _position)
            {
                ThrowAdvancedTooFar(count);
            }

            _leased = false;
            _position += count;
            if (_flushPending && !_holding)
            {
                Emit();
            }
        }
    }

    /// <summary>Whether <paramref name="count"/> bytes were leased by the last <see cref="GetMemory"/>.</summary>
    public bool CanAdvance(int count)
    {
        lock (_lock)
        {
            return _looseLease ? count <= _loose!.Length - _looseLength : _leased && count <= Limit - _position;
        }
    }

    /// <summary>Memory that was leased before the response started must not be advanced after it.</summary>
    public void DropLease()
    {
        lock (_lock)
        {
            _leased = false;
            _looseLease = false;
        }
    }

    /// <summary>Copies as much as one block takes and says how much; the caller may wait between two calls.</summary>
    public int Append(ReadOnlySpan<byte> data)
    {
        lock (_lock)
        {
            if (_detached)
            {
                return data.Length;
            }

            if (!_headWritten)
            {
                AppendLoose(data);
                return data.Length;
            }

            return AppendToBlock(data);
        }
    }

    /// <summary>
    /// Writes the head in front of everything. <paramref name="write"/> fills a span and returns the length, or -1 when
    /// it does not fit. The length of the head, or -1 when no record can hold it.
    /// </summary>
    public int TryWriteHead<TState>(HeadWriter<TState> write, in TState state)
        where TState : allows ref struct
    {
        lock (_lock)
        {
            Debug.Assert(!_headWritten, "The head is written once.");
            EnsureBlock(FirstBlockSize);
            int length = write(_block.AsSpan(_position, Limit - _position), state);
            if (length < 0)
            {
                Grow(MaxBlockSize);
                length = write(_block.AsSpan(_position, Limit - _position), state);
                if (length < 0)
                {
                    return -1;
                }
            }

            _position += length;
            _headWritten = true;
            MoveLooseIntoBlocks();
            return length;
        }
    }

    /// <summary>Sends what is there, or notes that it is to be sent when the run is unwound.</summary>
    public void Flush()
    {
        lock (_lock)
        {
            if (_holding)
            {
                _flushPending = true;
            }
            else
            {
                Emit();
            }
        }
    }

    /// <summary>The last body bytes and the empty STDOUT; with <paramref name="endRequest"/> END_REQUEST too, in one send.</summary>
    public void End(bool endRequest, ProtocolStatus status)
    {
        lock (_lock)
        {
            if (!_detached)
            {
                EnsureBlock(TrailerSize + HeaderSize);
                int end = FinishRecord();
                end += endRequest
                    ? RecordWriter.WriteEndOfResponse(_block.AsSpan(end), _requestId, new EndRequestBody(0, status))
                    : RecordWriter.WriteEndOfStream(_block.AsSpan(end), RecordType.Stdout, _requestId);

                SendBlock(_recordStart, end);
            }

            _detached = true;
        }
    }

    /// <summary>What is buffered leaves, and nothing after it: the response breaks off here.</summary>
    public void Break()
    {
        lock (_lock)
        {
            if (_headWritten)
            {
                Emit();
            }

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
            _looseLength = 0;
            _looseLease = false;
        }
    }

    public void Reset()
    {
        lock (_lock)
        {
            Release(ref _block);
            Release(ref _loose);
            _connection = null;
            _recordStart = _position = _looseLength = 0;
            _leased = _looseLease = _headWritten = _holding = _flushPending = _detached = false;
            _run++;
        }
    }

    private int Limit => Math.Min(_block!.Length, MaxBlockSize) - TrailerSize;

    private void ReleaseHeld()
    {
        _holding = false;
        if (_flushPending)
        {
            Emit();
        }
    }

    private void Emit()
    {
        if (_block is null || !_headWritten)
        {
            return;
        }

        _flushPending = false;
        int end = FinishRecord();
        if (end > _recordStart)
        {
            SendBlock(_recordStart, end);
        }
    }

    /// <summary>Fills the header in; the end of the record, which is its start when there is no content.</summary>
    private int FinishRecord()
    {
        int content = _position - _recordStart - HeaderSize;
        if (content == 0)
        {
            return _recordStart;
        }

        RecordWriter.WriteHeader(_block.AsSpan(_recordStart), RecordType.Stdout, _requestId, content);
        return _position;
    }

    private void SendBlock(int start, int end)
    {
        if (_leased)
        {
            SendCopy(start, end);
            return;
        }

        SendOutcome outcome = _detached ? SendOutcome.Lost : _connection!.Send(_block!, start, end - start);
        if (outcome == SendOutcome.Queued)
        {
            _block = null;
        }
        else if (outcome == SendOutcome.Lost)
        {
            _detached = true;
        }

        _recordStart = 0;
        _position = HeaderSize;
    }

    /// <summary>
    /// The application holds memory in this block, so the block stays; the last eight bytes of what has been sent
    /// become the header of the next record.
    /// </summary>
    private void SendCopy(int start, int end)
    {
        byte[] copy = _pool.Rent(end - start);
        _block.AsSpan(start, end - start).CopyTo(copy);
        SendOutcome outcome = _detached ? SendOutcome.Lost : _connection!.Send(copy, 0, end - start);
        if (outcome != SendOutcome.Queued)
        {
            _pool.Return(copy);
            _detached |= outcome == SendOutcome.Lost;
        }

        _recordStart = _position - HeaderSize;
    }

    private void EnsureBlock(int size)
    {
        if (_block is null)
        {
            _block = _pool.Rent(size);
            _recordStart = 0;
            _position = HeaderSize;
        }
    }

    private void MakeRoom(int needed)
    {
        EnsureBlock(Math.Max(FirstBlockSize, needed + HeaderSize + TrailerSize));
        if (Limit - _position >= needed)
        {
            return;
        }

        int content = _position - _recordStart - HeaderSize;
        if (content + needed <= MaxBlockSize - HeaderSize - TrailerSize && _block!.Length < MaxBlockSize)
        {
            Grow(Math.Min(MaxBlockSize, Math.Max(_block.Length * 4, content + needed + HeaderSize + TrailerSize)));
            return;
        }

        Emit();
        EnsureBlock(MaxBlockSize);
        if (Limit - _position < needed)
        {
            Grow(MaxBlockSize);
        }
    }

    private void Grow(int size)
    {
        byte[] larger = _pool.Rent(size);
        _block.AsSpan(_recordStart, _position - _recordStart).CopyTo(larger);
        _position -= _recordStart;
        _recordStart = 0;
        _pool.Return(_block!);
        _block = larger;
    }

    private int AppendToBlock(ReadOnlySpan<byte> data)
    {
        MakeRoom(Math.Clamp(data.Length, 1, MaxBlockSize - HeaderSize - TrailerSize));
        int count = Math.Min(data.Length, Limit - _position);
        data[..count].CopyTo(_block.AsSpan(_position));
        _position += count;
        return count;
    }

    private Memory<byte> LeaseLoose(int sizeHint)
    {
        ReserveLoose(Math.Max(sizeHint, 256));
        _looseLease = true;
        return _loose.AsMemory(_looseLength);
    }

    private void AdvanceLoose(int count)
    {
        if (count > _loose!.Length - _looseLength)
        {
            ThrowAdvancedTooFar(count);
        }

        _looseLength += count;
        if (_headWritten)
        {
            MoveLooseIntoBlocks();
        }
    }

    private void AppendLoose(ReadOnlySpan<byte> data)
    {
        ReserveLoose(data.Length);
        data.CopyTo(_loose.AsSpan(_looseLength));
        _looseLength += data.Length;
    }

    private void ReserveLoose(int needed)
    {
        if (_loose is null)
        {
            _loose = _pool.Rent(Math.Max(FirstBlockSize, needed));
        }
        else if (_loose.Length - _looseLength < needed)
        {
            byte[] larger = _pool.Rent(Math.Max(_loose.Length * 2, checked(_looseLength + needed)));
            _loose.AsSpan(0, _looseLength).CopyTo(larger);
            _pool.Return(_loose);
            _loose = larger;
        }
    }

    private void MoveLooseIntoBlocks()
    {
        for (int moved = 0; moved < _looseLength;)
        {
            moved += AppendToBlock(_loose.AsSpan(moved, _looseLength - moved));
        }

        _looseLength = 0;
        Release(ref _loose);
    }

    private void Release(ref byte[]? buffer)
    {
        if (buffer is not null)
        {
            _pool.Return(buffer);
            buffer = null;
        }
    }

    private static void ThrowAdvancedTooFar(int count) => throw new InvalidOperationException(
        $"Cannot advance by {count} bytes: the last GetMemory or GetSpan gave less, or the response has started since.");

    /// <summary>Writes a head into <paramref name="destination"/>: its length, or -1 when it does not fit.</summary>
    internal delegate int HeadWriter<TState>(Span<byte> destination, in TState state)
        where TState : allows ref struct;
}
