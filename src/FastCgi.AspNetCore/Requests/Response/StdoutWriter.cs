using System.Diagnostics;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// Cuts one response into STDOUT records, in place, and hands them to the send queue: a small response (head, body,
/// empty STDOUT, END_REQUEST) is one buffer and one send. Guarded by the lock of its <see cref="ResponseRecords"/>,
/// which decides when something is sent.
/// </summary>
internal sealed class StdoutWriter(BufferPool pool)
{
    private readonly RecordBlock _block = new(pool);
    private readonly PreHeadBuffer _loose = new(pool);
    private ISendQueue? _queue;
    private ushort _requestId;
    private bool _isBlockLeased;
    private bool _hasSent;

    public StdoutPhase Phase { get; private set; }

    /// <summary>The written bytes that have not been sent.</summary>
    public int BufferedBytes => _loose.Length + _block.ContentLength;

    /// <summary>The bytes that the application wrote since its last flush, wherever they are by now.</summary>
    public long UnflushedBytes { get; private set; }

    /// <summary>Everything that was written is in the block, or has been sent.</summary>
    public bool IsSettled => _loose.Length == 0;

    public bool HasHead => Phase is StdoutPhase.HeadWritten or StdoutPhase.HeadSent;

    public void Begin(IRequestSlot slot)
    {
        _queue = slot.Connection.Output;
        _requestId = slot.RequestId;
        _block.HasHeader = slot.Connection.HasRecords;
        Phase = StdoutPhase.BeforeHead;
    }

    /// <summary>Forgets the response that ended. Until another begins, what is written goes nowhere.</summary>
    public void Reset()
    {
        _block.Release();
        _loose.Clear();
        _queue = null;
        UnflushedBytes = 0;
        _isBlockLeased = _hasSent = false;
        Detach();
    }

    /// <summary>Memory to write into.</summary>
    /// <param name="sizeHint">At least so many bytes.</param>
    /// <param name="isOneBlock">Nothing may be sent: what does not fit into the block waits behind it.</param>
    public Memory<byte> Lease(int sizeHint, bool isOneBlock)
    {
        _isBlockLeased = false;
        Settle(isOneBlock);
        if (!HasHead || sizeHint > RecordBlock.MaxContent || (isOneBlock && !FitsBlock(sizeHint)))
        {
            return _loose.Lease(sizeHint);
        }

        MakeRoom(Math.Max(sizeHint, 1));
        _isBlockLeased = true;
        return _block.Free;
    }

    /// <summary>Whether <paramref name="count"/> bytes were leased by the last <see cref="Lease"/>.</summary>
    public bool CanAdvance(int count) =>
        _loose.HasLease ? _loose.CanAdvance(count) : _isBlockLeased && count <= _block.Room;

    /// <summary>The rest of the lease can be advanced too, as long as the memory stays where it is.</summary>
    /// <returns>False: so many bytes are not leased any more.</returns>
    public bool TryAdvance(int count, bool isOneBlock)
    {
        if (!CanAdvance(count))
        {
            return false;
        }

        UnflushedBytes += count;
        if (_loose.HasLease)
        {
            _loose.Advance(count);
            MoveLooseIntoBlocks(isOneBlock);
            return true;
        }

        _block.Advance(count);
        return true;
    }

    /// <summary>
    /// The application asks again before it advances: behind a flush, and after the start of the response.
    /// </summary>
    public void DropLease()
    {
        _isBlockLeased = false;
        _loose.DropLease();
    }

    /// <summary>Takes as much as one block, or one send, takes, and says how much.</summary>
    public int Append(ReadOnlySpan<byte> data, bool isOneBlock)
    {
        DropLease();
        Settle(isOneBlock);
        if (!HasHead || (isOneBlock && !FitsBlock(data.Length)))
        {
            _loose.Append(data);
            UnflushedBytes += data.Length;
            return data.Length;
        }

        int taken = isOneBlock ? 0 : TryGather(data);
        taken = taken > 0 ? taken : AppendToBlock(data);
        UnflushedBytes += taken;
        return taken;
    }

    /// <summary>
    /// The head has <paramref name="length"/> bytes, and stands in front of everything that was written before it. Of
    /// several heads of one response the first holds.
    /// </summary>
    public void CommitHead(byte[] head, int length, bool isOneBlock)
    {
        DropLease();
        if (Phase != StdoutPhase.BeforeHead)
        {
            pool.Return(head);
            return;
        }

        _block.Adopt(head, length);
        Phase = StdoutPhase.HeadWritten;
        MoveLooseIntoBlocks(isOneBlock);
    }

    /// <summary>Forgets what was buffered before the head.</summary>
    public void Discard()
    {
        Debug.Assert(!HasHead, "What has begun cannot be taken back.");
        _loose.Clear();
        UnflushedBytes = 0;
    }

    /// <summary>Moves behind the head what waited for it, or for room.</summary>
    /// <param name="isOneBlock">Nothing may be sent.</param>
    public void Settle(bool isOneBlock)
    {
        if (_loose.Length > 0 && HasHead)
        {
            _loose.DropLease();
            MoveLooseIntoBlocks(isOneBlock);
        }
    }

    /// <summary>
    /// As <see cref="Settle"/>, unless the application is writing into that memory: its next call does it.
    /// </summary>
    public void SettleUnleased()
    {
        if (!_loose.IsLeased)
        {
            MoveLooseIntoBlocks(isOneBlock: false);
        }
    }

    /// <summary>Counts what is there as flushed, though it may not have left.</summary>
    /// <param name="isOneBlock">Nothing may be sent.</param>
    public void Flush(bool isOneBlock)
    {
        DropLease();
        Settle(isOneBlock);
        UnflushedBytes = 0;
    }

    /// <summary>Sends what is in the block.</summary>
    public void Emit()
    {
        if (HasHead && _block.ContentLength > 0)
        {
            Send(_block.Finish(_requestId));
        }
    }

    /// <summary>
    /// Takes the block out for good, with what is still to be sent; behind that is room for the records that end a
    /// response. What is written from now on goes nowhere. Default where it did so before.
    /// </summary>
    public ArraySegment<byte> TakeLast()
    {
        if (Phase == StdoutPhase.Detached)
        {
            return default;
        }

        Detach();
        _isBlockLeased = false;
        _block.Rent(0);
        int start = _block.FirstByte;
        int end = _block.Finish(_requestId);
        return new ArraySegment<byte>(_block.Take(), start, end - start);
    }

    /// <summary>Something of the response has left, or is leaving with a file.</summary>
    public bool HasLeft => _hasSent || (Phase == StdoutPhase.HeadWritten && !_block.HasBuffer);

    /// <summary>Drops all bytes written from now on.</summary>
    public void Detach() => Phase = StdoutPhase.Detached;

    /// <summary>
    /// Takes the block out, with the header of a record of <paramref name="content"/> bytes behind it, so that
    /// it can be sent without the lock. It comes back by <see cref="PutBack"/>.
    /// </summary>
    public ArraySegment<byte> Take(int content)
    {
        _isBlockLeased = false;
        _block.Rent(0);
        int start = _block.FirstByte;
        int end = FinishWithHeaderFor(content);
        return new ArraySegment<byte>(_block.Take(), start, end - start);
    }

    /// <summary>The block that was taken out; nothing of it was sent, or all.</summary>
    public void PutBack(byte[] block, SendOutcome outcome)
    {
        _block.PutBack(block);
        if (outcome != SendOutcome.Queued)
        {
            OnBlockSent(outcome);
        }
    }

    private void Send(int end)
    {
        Phase = StdoutPhase.HeadSent;
        _hasSent = true;
        int start = _block.FirstByte;
        if (start == end)
        {
            return;
        }

        if (_isBlockLeased)
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
            Phase = StdoutPhase.Detached;
        }

        return outcome;
    }

    /// <summary>
    /// Large writes leave from the application's own memory, with the record headers around them. How much of
    /// <paramref name="data"/> was sent so; 0: it has to be copied, as what is small or must wait.
    /// </summary>
    private int TryGather(ReadOnlySpan<byte> data)
    {
        if (data.Length < GatheredTail.SmallestBody)
        {
            return 0;
        }

        int body = RecordWriter.ContentFitting(data.Length);
        _block.Rent(0);
        int start = _block.FirstByte;
        int end = FinishWithHeaderFor(body);
        Span<byte> tail = stackalloc byte[GatheredTail.MaxSize];
        tail = GatheredTail.Write(tail, data[body..], _block.HasHeader, _requestId);
        SendOutcome outcome = _queue!.TrySendGathered(_block.Buffer.AsSpan(start, end - start), data[..body], tail);
        if (outcome == SendOutcome.Queued)
        {
            return 0;
        }

        OnBlockSent(outcome);
        return tail.IsEmpty ? body : data.Length;
    }

    /// <summary>
    /// Ends the record that is being written, if there is any, and writes the header of the next one.
    /// </summary>
    private int FinishWithHeaderFor(int content)
    {
        int end = _block.Finish(_requestId);
        return end + GatheredTail.WriteHeader(_block.Buffer.AsSpan(end), content, _block.HasHeader, _requestId);
    }

    private void OnBlockSent(SendOutcome outcome)
    {
        _block.Restart();
        if (Phase != StdoutPhase.Detached)
        {
            Phase = outcome == SendOutcome.Lost ? StdoutPhase.Detached : StdoutPhase.HeadSent;
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
            Emit();
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

    private void MoveLooseIntoBlocks(bool isOneBlock)
    {
        if (!HasHead || _loose.Length == 0 || (isOneBlock && !FitsBlock(0)))
        {
            return;
        }

        // A send that finds the socket lost takes the head away: the rest has no place, and would never get one.
        for (int moved = 0; moved < _loose.Length && HasHead;)
        {
            moved += AppendToBlock(_loose.Written[moved..]);
        }

        _loose.Clear();
    }
}
