using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The STDOUT records of a response: cut in place, stored until they may leave, and handed to the send queue. A small
/// response (head, body, empty STDOUT, END_REQUEST) is one buffer and one send. Pooled: only its current owner can
/// write. Calls of an object whose request has ended are refused.
/// </summary>
/// <remarks>
/// The application writes from one place at a time. The lock is for the monitor, the upload and an abort, which must
/// not wait long: it is not held while bytes of a file are read or sent. It comes after the connection's gate, and
/// before the lock of the send queue.
/// </remarks>
internal sealed class ResponseRecords(BufferPool pool, InlineRunMonitor? monitor = null) : IHeldBytes
{
    /// <summary>Below this size, a copy costs less than a send: head, body and the response's end share one.</summary>
    private const int SmallestGathered = 32 * 1024;

    /// <summary>The small record after the largest one: 64 KiB are slightly more than one record holds.</summary>
    private const int MaxTailContent = 128;

    private const int MaxTail = FastCgiConstants.HeaderSize + MaxTailContent;

    private readonly Lock _lock = new();

    // Guarded by the lock.
    private object? _owner;
    private ISendQueue? _queue;
    private FlushTiming _timing;
    private readonly RecordBlock _block = new(pool);
    private readonly PreHeadBuffer _loose = new(pool);
    private StdoutPhase _phase;
    private ushort _requestId;
    private bool _isBlockLeased;
    private volatile bool _isRestWaiting;
    private bool _hasSent;

    // Bytes that the application wrote since its last flush, sent or not.
    private long _unflushedBytes;

    /// <summary>True if written bytes are dropped.</summary>
    public bool IsDetached => _phase == StdoutPhase.Detached;

    public bool IsHeadOut => _phase >= StdoutPhase.HeadSent;

    /// <summary>True if a write waits with unwritten bytes, see <see cref="BeginRest"/>.</summary>
    public bool IsRestWaiting => _isRestWaiting;

    /// <summary>The number of written bytes that are unsent, flushed or not.</summary>
    public int BufferedBytes
    {
        get
        {
            using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
            return _loose.Length + _block.ContentLength;
        }
    }

    public void Begin(IRequestConnection connection, ushort requestId)
    {
        _queue = connection.Output;
        _requestId = requestId;
        _block.HasHeader = connection.HasRecords;
        _phase = StdoutPhase.BeforeHead;
        _hasSent = false;
    }

    /// <summary>From now on only <paramref name="owner"/> may write, until the request ends.</summary>
    public void Own(object owner) => _owner = owner;

    /// <summary>Clears the request that ended, unless <see cref="TakeLast"/> has done so.</summary>
    public void Reset()
    {
        if (_queue is not null)
        {
            using (LockOrder.Enter(_lock, LockRank.Request))
            {
                Forget();
            }
        }
    }

    /// <summary>Bytes advanced since the last flush. A full block may already have left.</summary>
    public long UnflushedBytes(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        return _owner == owner ? _unflushedBytes : 0;
    }

    /// <summary>
    /// Returns memory to write into. While an upload holds the head, nothing may be sent: bytes that do not fit into
    /// the block are stored after it.
    /// </summary>
    public Memory<byte> GetMemory(object owner, int sizeHint)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        _isBlockLeased = false;
        Settle();
        if (IsBlockClosed || sizeHint > RecordBlock.MaxContent || (_timing.IsHeldByUpload && !FitsBlock(sizeHint)))
        {
            return _loose.Lease(sizeHint);
        }

        MakeRoom(Math.Max(sizeHint, 1));

        // This ends an earlier lease there. The next Advance is for the block.
        _loose.Clear();
        _isBlockLeased = true;
        return _block.Lease();
    }

    /// <summary>True if the last <see cref="GetMemory"/> leased <paramref name="count"/> bytes.</summary>
    public bool CanAdvance(object owner, int count)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        return IsLeased(count);
    }

    /// <summary>Advances. The rest of the lease can be advanced too, while the memory stays in place.</summary>
    /// <returns>False if a write on another thread has taken the lease since.</returns>
    public bool TryAdvance(object owner, int count)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        bool isLeased = IsLeased(count);
        if (isLeased)
        {
            _unflushedBytes += count;
            if (_loose.HasLease)
            {
                _loose.Advance(count);
                MoveLooseIntoBlocks();
            }
            else
            {
                _block.Advance(count);
            }
        }

        EmitIfDue();
        return isLeased;
    }

    /// <summary>
    /// Takes as much as one block holds, by a copy or a send from the caller's memory. Returns the number; the caller
    /// may wait between two calls. With <paramref name="flushes"/>, also flushes under the same lock if all bytes are
    /// taken; see <see cref="Flush"/>.
    /// </summary>
    public int Append(object owner, ReadOnlySpan<byte> data, bool flushes = false, bool isWhole = false)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        int taken = IsDetached || data.IsEmpty ? data.Length : Write(data);
        if (flushes && taken == data.Length)
        {
            // 14. Flush: the bytes leave when the run ends, not now.
            DropLease();
            Settle();
            _unflushedBytes = 0;
            _timing.Flush(isWhole);
            EmitOrAwaitEnd();
        }

        return taken;
    }

    /// <summary>
    /// Notes that a write waits with unwritten bytes. Bytes that are written meanwhile are placed after them. The
    /// caller appends them with <see cref="AppendRest"/>.
    /// </summary>
    public void BeginRest(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _isRestWaiting |= _owner == owner;
    }

    /// <summary>As <see cref="Append"/>, but before the bytes written since <see cref="BeginRest"/>.</summary>
    public int AppendRest(object owner, ReadOnlySpan<byte> data)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        return IsDetached ? data.Length : WriteToBlock(data);
    }

    /// <summary>Ends the wait: the bytes are in the response, or never will be.</summary>
    public void EndRest(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_owner == owner)
        {
            _isRestWaiting = false;
            MoveLooseIntoBlocks();
            EmitIfDue();
        }
    }

    /// <summary>
    /// Makes the head of <paramref name="length"/> bytes final. Takes its buffer, where the head is at
    /// <see cref="RecordBlock.RoomForHead"/>. The server's own answers have no owner. Memory that was leased earlier
    /// must not be advanced afterwards.
    /// </summary>
    public void CommitHead(object? owner, byte[] head, int length)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_owner == owner)
        {
            DropLease();
        }

        if (_owner != owner || _phase != StdoutPhase.BeforeHead)
        {
            // The request has ended meanwhile, or the response has several heads, of which the first counts.
            pool.Return(head);
            return;
        }

        _block.Adopt(head, length);
        _phase = StdoutPhase.HeadWritten;
        MoveLooseIntoBlocks();
    }

    /// <summary>Drops the buffered bytes: the response has not begun, and another one replaces it.</summary>
    public void DiscardUnstarted(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_owner == owner)
        {
            Debug.Assert(!HasHead, "What has begun cannot be taken back.");
            _loose.Clear();
            _unflushedBytes = 0;
        }
    }

    /// <summary>
    /// Sends the written bytes, or notes that they leave when nothing holds them any more. If
    /// <paramref name="isWhole"/>, the declared length is written, and only the end is missing. Then the bytes wait for
    /// the end, or leave at the next tick of the monitor if the application continues.
    /// </summary>
    public void Flush(object owner, bool isWhole) => Append(owner, default, flushes: true, isWhole);

    /// <summary>Sends bytes of a file after the written ones. Queued if they have to be copied instead.</summary>
    public SendOutcome TrySendFile(object owner, FilePart content)
    {
        ArraySegment<byte> block;
        ISendQueue queue;
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            RequireOwner(owner);
            Settle();
            if (IsBlockClosed || _timing.IsHeldByUpload)
            {
                return SendOutcome.Queued;
            }

            queue = _queue!;
            // After the written bytes, the header of a record for the file.
            DropLease();
            _block.Rent(0);
            int start = _block.FirstByte;
            int end = FinishWithHeaderFor(content.Count);

            // Under this lock, so that the END_REQUEST of an abort leaves either before or after all of this.
            if (!queue.TryReserve(end - start + content.Count, out SendOutcome refusal))
            {
                if (refusal == SendOutcome.Lost)
                {
                    OnBlockSent(refusal);
                }

                return refusal;
            }

            block = new ArraySegment<byte>(_block.Take(), start, end - start);
        }

        // Outside the lock, because a file on a network may block this thread forever, and an abort must get through.
        // If the read throws, the queue ends the record with zeros, as for a truncated file.
        SendOutcome outcome = SendOutcome.Truncated;
        try
        {
            outcome = queue.SendFile(block, content);
        }
        finally
        {
            outcome = TakeBack(owner, block.Array!, outcome);
        }

        return outcome;
    }

    /// <summary>Sends a record of STDERR, unless the response has ended. Takes the buffer.</summary>
    public void SendStderr(object owner, byte[] buffer, int count)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        bool isOpen = _owner == owner && !IsDetached;
        if (!isOpen || _queue!.Send(buffer, 0, count) != SendOutcome.Queued)
        {
            pool.Return(buffer);
        }
    }

    /// <summary>
    /// Ends the response and returns its last bytes, followed by room for the records that end a response. The
    /// connection takes the buffer. Default if nothing can be sent any more.
    /// </summary>
    public ArraySegment<byte> TakeLast()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        ForgetUploadHold();
        ArraySegment<byte> last = default;
        if (_phase != StdoutPhase.Detached)
        {
            _phase = StdoutPhase.Detached;
            DropLease();
            _block.Rent(0);
            int start = _block.FirstByte;
            int end = _block.Finish(_requestId);
            last = new ArraySegment<byte>(_block.Take(), start, end - start);
        }

        Forget();
        return last;
    }

    /// <summary>Sends the buffered bytes, and nothing after them: the response breaks off here.</summary>
    public void Break(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_owner != owner)
        {
            return;
        }

        ForgetUploadHold();
        Emit();
        _phase = StdoutPhase.Detached;
    }

    /// <summary>Drops all bytes written from now on. True if a part of the response has left.</summary>
    public bool Detach()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        // Or it is leaving with a file.
        bool hasLeft = _hasSent || (_phase == StdoutPhase.HeadWritten && !_block.HasBuffer);
        _phase = StdoutPhase.Detached;
        return hasLeft;
    }

    /// <summary>The receiving thread runs the application: flushes leave together, at <see cref="EndRun"/>.</summary>
    /// <returns>The number of the run: the response may be another one when the run ends.</returns>
    public int BeginRun()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        return _timing.BeginRun();
    }

    /// <summary>As <see cref="BeginRun"/>, without the lock: no other thread knows the response yet.</summary>
    public int BeginFirstRun() => _timing.BeginRun();

    /// <summary>Ends a run, at its end or at its first real wait. Its flushed bytes leave.</summary>
    public void EndRun(int run)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_timing.TryEndRun(run))
        {
            EmitOrAwaitEnd();
        }
    }

    public bool TryRelease(int hold)
    {
        if (!LockOrder.TryEnter(_lock))
        {
            return false;
        }

        try
        {
            if (_timing.TryEndRun(hold))
            {
                EmitIfDue();
            }
        }
        finally
        {
            _lock.Exit();
        }

        return true;
    }

    /// <summary>Called if the run keeps its thread: its flushed bytes leave, and later flushes leave at once.</summary>
    /// <remarks>If the run is writing right now, the next tick tries again.</remarks>
    public void BreakRun() => TryRelease(_timing.Run);

    /// <summary>
    /// Holds all bytes until the end of <paramref name="hold"/>: one block takes written bytes, and the rest is stored
    /// after the block, as before the head is known.
    /// </summary>
    public void BeginUploadHold(object owner, object hold)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_owner == owner && !IsHeadOut)
        {
            _timing.BeginUpload(hold);
        }
    }

    /// <summary>Sends the bytes flushed under <paramref name="hold"/>, if that hold is in force.</summary>
    public void EndUploadHold(object hold)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_timing.TryEndUpload(hold))
        {
            MoveLooseIntoBlocks();
            EmitIfDue();
        }
    }

    /// <summary>
    /// Ends the ownership. A run or a hold that ends later has no effect. Whether some bytes have left stays known
    /// until the next request: the connection may ask between the end of the response and its own end.
    /// </summary>
    private void Forget()
    {
        _owner = null;
        _queue = null;
        _block.Release();
        _loose.Clear();
        _unflushedBytes = 0;
        _isBlockLeased = _isRestWaiting = false;
        _phase = StdoutPhase.Detached;
        _timing.Reset();
    }

    /// <summary>Lets a complete response wait for its end, at most until the next tick, to leave with it.</summary>
    private void EmitOrAwaitEnd()
    {
        if (_timing.ShouldAwaitEnd)
        {
            (monitor ?? InlineRunMonitor.Shared).ReleaseAtNextTick(this, _timing.BeginRun());
        }

        EmitIfDue();
    }

    private void EmitIfDue()
    {
        if (_timing.IsDue)
        {
            Emit();
        }
    }

    private void Emit()
    {
        if (HasHead)
        {
            SendBlock();
            if (_loose.Length == 0)
            {
                _timing.Leave();
            }
        }
    }

    /// <summary>Takes the block back after a send without the lock. Lost if the request has ended meanwhile.</summary>
    private SendOutcome TakeBack(object owner, byte[] block, SendOutcome outcome)
    {
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            if (_owner == owner)
            {
                _block.PutBack(block);

                // Either none or all of the block was sent.
                OnBlockSent(outcome);
                return outcome;
            }
        }

        pool.Return(block);
        return SendOutcome.Lost;
    }

    private void ForgetUploadHold()
    {
        _timing.ForgetUpload();
        Settle();
    }

    private bool HasHead => _phase is StdoutPhase.HeadWritten or StdoutPhase.HeadSent;

    /// <summary>True if other bytes come first, so that written bytes cannot go into the block yet.</summary>
    private bool IsBlockClosed => !HasHead || _isRestWaiting;

    private bool IsLeased(int count) =>
        _loose.HasLease ? _loose.CanAdvance(count) : _isBlockLeased && count <= _block.Room;

    /// <summary>After a flush and the start of the response, the application must ask for memory again.</summary>
    private void DropLease()
    {
        _isBlockLeased = false;
        _block.EndLeases();
        _loose.EndLeases();
    }

    /// <summary>Takes as much as fits into one block or one send. Returns the number.</summary>
    private int Write(ReadOnlySpan<byte> data)
    {
        DropLease();
        Settle();
        if (IsBlockClosed || (_timing.IsHeldByUpload && !FitsBlock(data.Length)))
        {
            _loose.Append(data);
            _unflushedBytes += data.Length;
            return data.Length;
        }

        return WriteToBlock(data);
    }

    private int WriteToBlock(ReadOnlySpan<byte> data)
    {
        int taken = _timing.IsHeldByUpload ? 0 : TryGather(data);
        taken = taken > 0 ? taken : AppendToBlock(data);
        _unflushedBytes += taken;
        return taken;
    }

    /// <summary>Moves bytes that waited for the head, or for room, behind the head.</summary>
    private void Settle()
    {
        if (_loose.Length > 0 && !IsBlockClosed)
        {
            _loose.EndLeases();
            MoveLooseIntoBlocks();
        }
    }

    private void SendBlock()
    {
        if (!HasHead || _block.ContentLength == 0)
        {
            return;
        }

        _phase = StdoutPhase.HeadSent;
        _hasSent = true;
        int start = _block.FirstByte;
        int end = _block.Finish(_requestId);
        if (_isBlockLeased || _block.IsLeased)
        {
            // The application still writes into the block, so a copy is sent.
            byte[] copy = pool.Rent(end - start);
            _block.Buffer.AsSpan(start, end - start).CopyTo(copy);
            if (Send(copy, 0, end - start) != SendOutcome.Queued)
            {
                pool.Return(copy);
            }

            _block.RestartBehind();
        }
        else if (Send(_block.Buffer, start, end - start) == SendOutcome.Queued)
        {
            _block.Take();
        }
        else
        {
            // An event stream or a WebSocket may now be idle for hours.
            _block.Release();
        }
    }

    private SendOutcome Send(byte[] buffer, int start, int count)
    {
        SendOutcome outcome = _queue!.Send(buffer, start, count);
        if (outcome == SendOutcome.Lost)
        {
            _phase = StdoutPhase.Detached;
        }

        return outcome;
    }

    /// <summary>
    /// Sends a large write from the application's own memory, with record headers around it. Returns how much of
    /// <paramref name="data"/> was sent; 0 if it must be copied, because it is small or must wait.
    /// </summary>
    private int TryGather(ReadOnlySpan<byte> data)
    {
        if (data.Length < SmallestGathered)
        {
            return 0;
        }

        int body = RecordWriter.ContentFitting(data.Length);
        _block.Rent(0);
        int start = _block.FirstByte;
        int end = FinishWithHeaderFor(body);
        Span<byte> tail = stackalloc byte[MaxTail];
        tail = WriteTail(tail, data[body..]);
        SendOutcome outcome = _queue!.TrySendGathered(_block.Buffer.AsSpan(start, end - start), data[..body], tail);
        if (outcome == SendOutcome.Queued)
        {
            return 0;
        }

        OnBlockSent(outcome);
        return tail.IsEmpty ? body : data.Length;
    }

    /// <summary>Ends the current record, if any, and writes the header of the next one.</summary>
    private int FinishWithHeaderFor(int content)
    {
        int end = _block.Finish(_requestId);
        return end + WriteHeader(_block.Buffer.AsSpan(end), content);
    }

    private void OnBlockSent(SendOutcome outcome)
    {
        _block.Restart();
        if (_phase != StdoutPhase.Detached)
        {
            _phase = outcome == SendOutcome.Lost ? StdoutPhase.Detached : StdoutPhase.HeadSent;
        }

        _hasSent |= outcome != SendOutcome.Lost;
    }

    private bool FitsBlock(int more) => BufferedBytes + Math.Max(more, 1) <= RecordBlock.MaxContent;

    private void MakeRoom(int needed)
    {
        _block.Rent(needed);
        if (_block.Room >= needed)
        {
            return;
        }

        if (!_block.CanGrowFor(needed))
        {
            // A full block leaves even if flushes are held: it would be a separate record anyway.
            SendBlock();
            _block.Rent(RecordBlock.MaxContent);
        }

        if (_block.Room < needed)
        {
            _block.GrowFor(needed);
        }
    }

    private int AppendToBlock(ReadOnlySpan<byte> data)
    {
        MakeRoom(Math.Clamp(data.Length, 1, RecordBlock.MaxContent));
        return _block.Append(data);
    }

    private void MoveLooseIntoBlocks()
    {
        if (IsBlockClosed || _loose.Length == 0 || (_timing.IsHeldByUpload && !FitsBlock(0)))
        {
            return;
        }

        _isBlockLeased = false;
        _block.EndLeases();

        // A send that finds the socket lost detaches the response. Then the remaining bytes are dropped.
        for (int moved = 0; moved < _loose.Length && HasHead;)
        {
            moved += AppendToBlock(_loose.Written[moved..]);
        }

        _loose.DropWritten();
    }

    /// <summary>A second record with the rest of a write; empty if there is no rest, or too much.</summary>
    private Span<byte> WriteTail(Span<byte> destination, ReadOnlySpan<byte> rest)
    {
        if (rest.IsEmpty || rest.Length > MaxTailContent)
        {
            return [];
        }

        int header = WriteHeader(destination, rest.Length);
        rest.CopyTo(destination[header..]);
        return destination[..(header + rest.Length)];
    }

    /// <summary>Writes the header of a record whose content is sent from its own memory.</summary>
    /// <returns>The size of the header; 0 if there are no records.</returns>
    private int WriteHeader(Span<byte> destination, int content)
    {
        if (!_block.HasHeader)
        {
            return 0;
        }

        RecordWriter.WriteHeader(destination, RecordType.Stdout, _requestId, content);
        return FastCgiConstants.HeaderSize;
    }

    private void RequireOwner(object owner)
    {
        if (_owner != owner)
        {
            throw RequestIsOver();
        }
    }

    internal static ObjectDisposedException RequestIsOver() => new(
        nameof(HttpResponse), "The request has ended: nothing can be written to its response.");

    /// <summary>The phases of the STDOUT stream of a response.</summary>
    private enum StdoutPhase
    {
        /// <summary>Written bytes wait for the head.</summary>
        BeforeHead,

        /// <summary>The head is in the block.</summary>
        HeadWritten,

        /// <summary>The head has left and can no longer be held back.</summary>
        HeadSent,

        /// <summary>The response has ended, or the socket is lost: written bytes are dropped.</summary>
        Detached,
    }
}
