using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The STDOUT records of a response: cut in place, kept until they may leave, and handed to the send queue. A small
/// response (head, body, empty STDOUT, END_REQUEST) is one buffer and one send. Pooled: its present owner alone can
/// write, and an object that outlived its request is turned away.
/// </summary>
/// <remarks>
/// The application writes from one place at a time. The lock is for the monitor, the upload and an abort, none of which
/// may wait long: it is not held while bytes of a file are read or sent. It comes after the connection's gate, and
/// before the lock of the send queue.
/// </remarks>
internal sealed class ResponseRecords(BufferPool pool, InlineRunMonitor? monitor = null) : IHeldBytes
{
    /// <summary>Below, a copy costs less than a send: head, body and the end of the response share one.</summary>
    private const int SmallestGathered = 32 * 1024;

    /// <summary>The small record behind the largest one: 64 KiB are a little more than one record holds.</summary>
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

    // Bytes that the application wrote since its last flush, wherever they are by now.
    private long _unflushedBytes;

    /// <summary>True when written bytes go nowhere.</summary>
    public bool IsDetached => _phase == StdoutPhase.Detached;

    /// <summary>The head has left.</summary>
    public bool IsHeadOut => _phase >= StdoutPhase.HeadSent;

    /// <summary>A write waits with bytes in hand, see <see cref="BeginRest"/>.</summary>
    public bool IsRestWaiting => _isRestWaiting;

    /// <summary>The written bytes that have not been sent, flushed or not.</summary>
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

    /// <summary>From now on <paramref name="owner"/> alone writes, until the request ends.</summary>
    public void Own(object owner) => _owner = owner;

    /// <summary>Forgets the request that ended, unless <see cref="TakeLast"/> has done so.</summary>
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

    /// <summary>Bytes advanced since the last flush; a full block may have left by itself.</summary>
    public long UnflushedBytes(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        return _owner == owner ? _unflushedBytes : 0;
    }

    /// <summary>
    /// Memory to write into. While an upload holds the head, nothing may be sent: what does not fit into the block
    /// waits behind it.
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

        // This ends an earlier lease there: the next Advance is for the block.
        _loose.Clear();
        _isBlockLeased = true;
        return _block.Lease();
    }

    /// <summary>Whether <paramref name="count"/> bytes were leased by the last <see cref="GetMemory"/>.</summary>
    public bool CanAdvance(object owner, int count)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        return IsLeased(count);
    }

    /// <summary>The rest of the lease can be advanced too, as long as the memory stays where it is.</summary>
    /// <returns>False: a write on another thread has taken the lease since it was asked for.</returns>
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

    /// <summary>Takes as much as one block takes and says how much; the caller may wait between two calls.</summary>
    /// <param name="owner">Who writes.</param>
    /// <param name="data">Copied, or sent from where it is.</param>
    /// <param name="flushes">A <see cref="Flush"/> follows if all is taken, under the same lock.</param>
    /// <param name="isWhole">For the flush.</param>
    public int Append(object owner, ReadOnlySpan<byte> data, bool flushes = false, bool isWhole = false)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        int taken = IsDetached || data.IsEmpty ? data.Length : Write(data);
        if (flushes && taken == data.Length)
        {
            // 14. Flush: it leaves when the run ends, not now.
            DropLease();
            Settle();
            _unflushedBytes = 0;
            _timing.Flush(isWhole);
            EmitOrAwaitEnd();
        }

        return taken;
    }

    /// <summary>
    /// A write waits with bytes in hand: what is written meanwhile has its place behind them. The caller appends them
    /// by <see cref="AppendRest"/>.
    /// </summary>
    public void BeginRest(object owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _isRestWaiting |= _owner == owner;
    }

    /// <summary>As <see cref="Append"/>, in front of what was written since <see cref="BeginRest"/>.</summary>
    public int AppendRest(object owner, ReadOnlySpan<byte> data)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        RequireOwner(owner);
        return IsDetached ? data.Length : WriteToBlock(data);
    }

    /// <summary>The bytes are in the response, or never will be.</summary>
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
    /// The head has <paramref name="length"/> bytes and is final. Takes the buffer, in which the head stands at
    /// <see cref="RecordBlock.RoomForHead"/>. An answer of the server's own has no owner. Memory that was leased before
    /// must not be advanced after it.
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
            // The request ended meanwhile. Or of several heads of one response, the first holds.
            pool.Return(head);
            return;
        }

        _block.Adopt(head, length);
        _phase = StdoutPhase.HeadWritten;
        MoveLooseIntoBlocks();
    }

    /// <summary>Forgets what was buffered: the response has not begun and another one takes its place.</summary>
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

    /// <summary>Sends what is there, or notes that it leaves when nothing holds it any more.</summary>
    /// <param name="owner">Who writes.</param>
    /// <param name="isWhole">
    /// The declared length is written, so only the end is missing: the bytes wait for it, and leave at the next tick
    /// of the monitor if the application goes on.
    /// </param>
    public void Flush(object owner, bool isWhole) => Append(owner, default, flushes: true, isWhole);

    /// <summary>Sends bytes of a file behind what was written. Queued: they have to be copied instead.</summary>
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
            // Behind what was written, the header of a record for the file.
            DropLease();
            _block.Rent(0);
            int start = _block.FirstByte;
            int end = FinishWithHeaderFor(content.Count);

            // Under this lock, so that the END_REQUEST of an abort leaves before all of this, or behind it.
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

        // Not under the lock: a file on a network may keep this thread for ever, and an abort must get through.
        // If the read throws, the queue ends the record with zeros, as it does for a truncated file.
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

    /// <summary>Sends a record of STDERR, unless the response is over. Takes the buffer.</summary>
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
    /// Ends the response here: its last bytes, with room behind them for the records that end a response. The
    /// connection takes the buffer. Default: nothing can leave any more.
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

    /// <summary>Drops all bytes written from now on. True: a part of the response had left.</summary>
    public bool Detach()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        // Or is leaving with a file.
        bool hasLeft = _hasSent || (_phase == StdoutPhase.HeadWritten && !_block.HasBuffer);
        _phase = StdoutPhase.Detached;
        return hasLeft;
    }

    /// <summary>The receiving thread runs the application: flushes leave together, at <see cref="EndRun"/>.</summary>
    /// <returns>The name of the run: the response may be another one by the time the run ends.</returns>
    public int BeginRun()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        return _timing.BeginRun();
    }

    /// <summary>As <see cref="BeginRun"/>, without the lock: no other thread knows of the response yet.</summary>
    public int BeginFirstRun() => _timing.BeginRun();

    /// <summary>The run was unwound, by its end or by its first real wait: what it flushed leaves.</summary>
    public void EndRun(int run)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_timing.TryEndRun(run))
        {
            EmitOrAwaitEnd();
        }
    }

    /// <inheritdoc/>
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

    /// <summary>The run keeps its thread: what it flushed leaves, and later flushes leave at once.</summary>
    /// <remarks>If the run is writing at this moment, the next tick asks again.</remarks>
    public void BreakRun() => TryRelease(_timing.Run);

    /// <summary>
    /// Until the end of <paramref name="hold"/> nothing leaves: one block takes what is written, and the rest
    /// waits behind the block, as it does before the head is known.
    /// </summary>
    public void BeginUploadHold(object owner, object hold)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        if (_owner == owner && !IsHeadOut)
        {
            _timing.BeginUpload(hold);
        }
    }

    /// <summary>Sends the bytes flushed under <paramref name="hold"/>; none where that hold is not in force.</summary>
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
    /// No owner may write any more. A run or a hold that ends later changes nothing. Whether something has left stays
    /// known until the next request: the connection may ask between the end of the response and its own.
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

    /// <summary>Lets a whole response wait for its end: both leave together, at the latest at the next tick.</summary>
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

    /// <summary>The block is back from a send without the lock. Lost: the request ended meanwhile.</summary>
    private SendOutcome TakeBack(object owner, byte[] block, SendOutcome outcome)
    {
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            if (_owner == owner)
            {
                _block.PutBack(block);

                // Nothing of the block was sent, or all.
                OnBlockSent(outcome);
                return outcome;
            }
        }

        pool.Return(block);
        return SendOutcome.Lost;
    }

    /// <summary>The response ends, and so does the reason to wait.</summary>
    private void ForgetUploadHold()
    {
        _timing.ForgetUpload();
        Settle();
    }

    private bool HasHead => _phase is StdoutPhase.HeadWritten or StdoutPhase.HeadSent;

    /// <summary>Other bytes come first, so what is written has no place in a block yet.</summary>
    private bool IsBlockClosed => !HasHead || _isRestWaiting;

    /// <summary>Whether <paramref name="count"/> bytes were leased by the last <see cref="GetMemory"/>.</summary>
    private bool IsLeased(int count) =>
        _loose.HasLease ? _loose.CanAdvance(count) : _isBlockLeased && count <= _block.Room;

    /// <summary>Behind a flush and the start of the response, the application asks again for memory.</summary>
    private void DropLease()
    {
        _isBlockLeased = false;
        _block.EndLeases();
        _loose.EndLeases();
    }

    /// <summary>Takes as much as one block, or one send, takes, and says how much.</summary>
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

    /// <summary>Moves behind the head what waited for it, or for room.</summary>
    private void Settle()
    {
        if (_loose.Length > 0 && !IsBlockClosed)
        {
            _loose.EndLeases();
            MoveLooseIntoBlocks();
        }
    }

    /// <summary>Sends what is in the block.</summary>
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
            // The application still writes into the block: what is sent goes as a copy.
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
            _block.Restart();
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
    /// Large writes leave from the application's own memory, with the record headers around them. How much of
    /// <paramref name="data"/> was sent so; 0: it has to be copied, as what is small or must wait.
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

    /// <summary>Ends the record that is being written, if any, and writes the header of the next one.</summary>
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
            // A full block leaves whatever holds the flushes: it would be a record of its own anyway.
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

        // A send that finds the socket lost takes the head away: the rest has no place, and would never get one.
        for (int moved = 0; moved < _loose.Length && HasHead;)
        {
            moved += AppendToBlock(_loose.Written[moved..]);
        }

        _loose.DropWritten();
    }

    /// <summary>The record that takes the rest of a write along; empty where nothing is left, or too much.</summary>
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

    /// <summary>Writes the header of a record around bytes that are sent from where they are.</summary>
    /// <returns>Its size, which is 0 where there are no records.</returns>
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

    /// <summary>How far the STDOUT stream of a response is.</summary>
    private enum StdoutPhase
    {
        /// <summary>Written bytes wait for the head.</summary>
        BeforeHead,

        /// <summary>The head is in the block.</summary>
        HeadWritten,

        /// <summary>The head has left: nothing can hold it back any more.</summary>
        HeadSent,

        /// <summary>The response is over, or the socket is lost: what is written goes nowhere.</summary>
        Detached,
    }
}
