using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <content>
/// Stdout: cuts the response into STDOUT records, in place, and hands them to the send queue. A small response (head,
/// body, empty STDOUT, END_REQUEST) is one buffer and one send. All of it under the lock.
/// </content>
internal sealed partial class ResponseRecords
{
    /// <summary>Below, a copy costs less than a send: head, body and the end of the response share one.</summary>
    private const int SmallestGathered = 32 * 1024;

    /// <summary>The small record behind the largest one: 64 KiB are a little more than one record holds.</summary>
    private const int MaxTailContent = 128;

    private const int MaxTail = FastCgiConstants.HeaderSize + MaxTailContent;

    private readonly RecordBlock _block = new(pool);
    private readonly PreHeadBuffer _loose = new(pool);
    private StdoutPhase _phase;
    private ushort _requestId;
    private bool _isBlockLeased;
    private volatile bool _isRestWaiting;
    private bool _hasSent;

    // Bytes that the application wrote since its last flush, wherever they are by now.
    private long _unflushedBytes;

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
        if (HasHead && _block.ContentLength > 0)
        {
            Send(_block.Finish(_requestId));
        }
    }

    private void Send(int end)
    {
        _phase = StdoutPhase.HeadSent;
        _hasSent = true;
        int start = _block.FirstByte;
        if (start == end)
        {
            return;
        }

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

    /// <summary>
    /// Body bytes that have no place in a record yet: written before the head is known, or under a lease that is larger
    /// than any record. Guarded by the lock of its <see cref="ResponseRecords"/>.
    /// </summary>
    private sealed class PreHeadBuffer(BufferPool pool)
    {
        private const int FirstSize = 4096;
        private const int SmallestLease = 256;

        private byte[]? _buffer;
        private int _start;
        private int _end;

        private MemoryLeases _leases;

        public int Length => _end - _start;

        /// <summary>The memory of the last lease is still here: the rest of it can be advanced too.</summary>
        public bool HasLease { get; private set; }

        public ReadOnlySpan<byte> Written => _buffer.AsSpan(_start, Length);

        public Memory<byte> Lease(int sizeHint)
        {
            Reserve(Math.Max(sizeHint, SmallestLease));
            HasLease = true;
            _leases.Begin();
            return _buffer.AsMemory(_end);
        }

        public bool CanAdvance(int count) => HasLease && count <= _buffer!.Length - _end;

        public void Advance(int count)
        {
            _leases.End();
            _end += count;
        }

        /// <summary>
        /// The bytes, if there are any, go on in another buffer where the application may be writing into this one.
        /// </summary>
        public void EndLeases()
        {
            HasLease = false;
            if (Length == 0)
            {
                Clear();
            }
            else if (_leases.AreOpen)
            {
                Grow(_buffer!.Length);
            }
        }

        public void Append(ReadOnlySpan<byte> data)
        {
            Reserve(data.Length);
            data.CopyTo(_buffer.AsSpan(_end));
            _end += data.Length;
        }

        /// <summary>The written bytes are elsewhere. The memory stays while its lease can be advanced.</summary>
        public void DropWritten()
        {
            _start = _end;
            if (!HasLease)
            {
                Clear();
            }
        }

        public void Clear()
        {
            _start = _end = 0;
            HasLease = false;
            if (_buffer is not null)
            {
                _leases.GiveBack(pool, _buffer);
                _buffer = null;
            }
        }

        private void Reserve(int needed)
        {
            if (_buffer is null || _buffer.Length - _end < needed)
            {
                Grow(Math.Max(FirstSize, checked(Length + Math.Max(Length, needed))));
            }
        }

        private void Grow(int size)
        {
            byte[] larger = pool.Rent(size);
            if (_buffer is not null)
            {
                Written.CopyTo(larger);
                _leases.GiveBack(pool, _buffer);
            }

            _buffer = larger;
            (_start, _end) = (0, Length);
        }
    }

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
