using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// What leaves one socket: whole records, in the order in which requests hand them over. A send that the socket takes
/// at once costs no copy and no queue; the rest waits here. It is bounded: whoever flushes waits, and for answers that
/// nobody waits for (the end of a response, a refusal, management) the connection stops to read what would make more.
/// </summary>
internal sealed class SendQueue(TransportConnection transport, ServerContext server, IThreadPoolWorkItem lost) : ISendQueue
{
    private readonly Lock _lock = new();
    private readonly Queue<Block> _queue = new();
    private readonly BufferPool _pool = server.Buffers;
    private readonly long _limit = server.Limits.MaxResponseBufferSize ?? long.MaxValue;
    private TaskCompletionSource? _room;
    private int _roomWaiters;
    private bool _roomIsAllOfIt;
    private Action? _whenDrained;
    private Action? _whenAnswersAreTaken;
    private long _unsent;
    private long _unsentAnswers;
    private long _progressAt;
    private bool _lost;

    /// <summary>More is unsent than MaxResponseBufferSize.</summary>
    public bool IsFull => Volatile.Read(ref _unsent) > _limit;

    /// <summary>Several requests send here: a file would wait until the others have nothing to send.</summary>
    public bool IsShared { get; set; }

    /// <summary>Something that was handed over is not in the socket yet.</summary>
    public bool HasUnsent => Volatile.Read(ref _unsent) > 0;

    /// <summary>More of what nobody waits for is unsent than MaxResponseBufferSize: the peer does not read.</summary>
    public bool HasUntakenAnswers => Volatile.Read(ref _unsentAnswers) > _limit;

    /// <summary>The peer has taken nothing of what waits for it for longer than SendTimeout.</summary>
    public bool IsStuck => HasUnsent
        && server.Limits.SendTimeout != Timeout.InfiniteTimeSpan
        && server.Clock.Since(Volatile.Read(ref _progressAt)) > server.Limits.SendTimeout;

    /// <inheritdoc/>
    public SendOutcome Send(byte[] buffer, int offset, int count, bool isAnswer)
    {
        lock (_lock)
        {
            if (_lost)
            {
                return FindLost();
            }

            int sent = 0;
            if (_unsent == 0)
            {
                sent = transport.Send(buffer.AsSpan(offset, count));
                if (sent == count)
                {
                    return SendOutcome.Sent;
                }

                if (sent == TransportConnection.Reset)
                {
                    return FindLost();
                }
            }

            Enqueue(new Block(buffer, offset + Math.Max(sent, 0), count - Math.Max(sent, 0), isAnswer));
            return SendOutcome.Queued;
        }
    }

    /// <inheritdoc/>
    public SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        lock (_lock)
        {
            if (!MaySendNow(out SendOutcome refusal))
            {
                return refusal;
            }

            int sent = transport.SendGathered(head, body, tail);
            if (sent == TransportConnection.Reset)
            {
                return FindLost();
            }

            EnqueueRest(head, body, tail, Math.Max(sent, 0));
            return SendOutcome.Sent;
        }
    }

    /// <inheritdoc/>
    public SendOutcome TrySendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        if (!transport.SendsFiles || IsShared)
        {
            return SendOutcome.Queued;
        }

        lock (_lock)
        {
            if (!MaySendNow(out SendOutcome refusal))
            {
                return refusal;
            }

            int sent = transport.SendFile(head, content);
            if (sent == TransportConnection.Reset)
            {
                return FindLost();
            }

            return TryEnqueueRest(head, content, Math.Max(sent, 0)) ? SendOutcome.Sent : SendOutcome.Truncated;
        }
    }

    /// <summary>Sends bytes that nobody else owns: management answers and the end of a torn response.</summary>
    public void SendCopy(ReadOnlySpan<byte> records)
    {
        byte[] buffer = _pool.Rent(records.Length);
        records.CopyTo(buffer);
        if (Send(buffer, 0, records.Length, isAnswer: true) != SendOutcome.Queued)
        {
            _pool.Return(buffer);
        }
    }

    /// <inheritdoc/>
    public Task WaitForRoomAsync(bool all)
    {
        lock (_lock)
        {
            if (_lost || HasRoom(all))
            {
                return Task.CompletedTask;
            }

            _roomIsAllOfIt |= all;

            // Its completion runs the application that waits, see Room.Give.
            _room ??= new TaskCompletionSource();
            _roomWaiters++;
            return _room.Task;
        }
    }

    /// <summary>
    /// Calls <paramref name="action"/> once, when the peer has taken most of <see cref="HasUntakenAnswers"/>. False, and
    /// no call, when it has already; no call either when the socket is lost.
    /// </summary>
    public bool TryAwaitTaking(Action action)
    {
        lock (_lock)
        {
            if (_lost || !HasUntakenAnswers)
            {
                return false;
            }

            _whenAnswersAreTaken = action;
            return true;
        }
    }

    /// <summary>Calls <paramref name="action"/> once, now or when all that was handed over is in the socket or lost.</summary>
    public void WhenDrained(Action action)
    {
        lock (_lock)
        {
            if (!_lost && _unsent > 0)
            {
                _whenDrained = action;
                return;
            }
        }

        action();
    }

    /// <summary>The transport has sent the block at the head of the queue, or has lost the socket.</summary>
    public void OnSendCompleted(bool succeeded)
    {
        Room room = default;
        Action? drained = null;
        Action? taken = null;
        lock (_lock)
        {
            if (!succeeded)
            {
                _lost = true;
            }

            Block block = _queue.Dequeue();
            _pool.Return(block.Buffer);
            _unsent -= block.Count;
            _unsentAnswers -= block.IsAnswer ? block.Count : 0;
            _progressAt = server.Clock.Now;
            if (_lost)
            {
                DropQueue();
            }
            else if (_queue.TryPeek(out Block next))
            {
                transport.SendLater(next.Memory);
            }

            if (_lost || HasRoom(_roomIsAllOfIt))
            {
                room = TakeRoom();
            }

            if (_unsent == 0)
            {
                (drained, _whenDrained) = (_whenDrained, null);
            }

            if (!_lost && _unsentAnswers <= _limit / 2)
            {
                (taken, _whenAnswersAreTaken) = (_whenAnswersAreTaken, null);
            }
        }

        taken?.Invoke();
        drained?.Invoke();
        room.Give(mayRunHere: succeeded);
    }

    /// <summary>The socket is lost: nothing is sent any more, and nobody waits for it.</summary>
    public void Lose()
    {
        Room room;
        lock (_lock)
        {
            _lost = true;
            room = TakeRoom();
        }

        room.Give(mayRunHere: false);
    }

    /// <summary>Whether bytes that the connection does not own may go straight into the socket. Under the lock.</summary>
    private bool MaySendNow(out SendOutcome refusal)
    {
        refusal = _lost ? FindLost() : SendOutcome.Queued;
        return !_lost && _unsent == 0;
    }

    /// <summary>
    /// The connection hears of it on the thread pool: the caller holds the lock of its response, which comes after the
    /// gate. Under the lock.
    /// </summary>
    private SendOutcome FindLost()
    {
        _lost = true;
        ThreadPool.UnsafeQueueUserWorkItem(lost, preferLocal: false);
        return SendOutcome.Lost;
    }

    /// <summary>Nobody has to wait: for all that is unsent to leave, or for most of it. Under the lock.</summary>
    private bool HasRoom(bool all) => all ? _unsent == 0 : !IsFull;

    private Room TakeRoom()
    {
        var room = new Room(_room, _roomWaiters);
        _room = null;
        _roomWaiters = 0;
        _roomIsAllOfIt = false;
        return room;
    }

    private void Enqueue(Block block)
    {
        _queue.Enqueue(block);
        _unsentAnswers += block.IsAnswer ? block.Count : 0;
        if (_queue.Count == 1)
        {
            // Before anything counts as unsent, see IsStuck.
            Volatile.Write(ref _progressAt, server.Clock.Now);
            Volatile.Write(ref _unsent, block.Count);
            transport.SendLater(block.Memory);
        }
        else
        {
            _unsent += block.Count;
        }
    }

    /// <summary>What the socket had no room for is copied: the memory is the application's again.</summary>
    private void EnqueueRest(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail, int sent)
    {
        int rest = head.Length + body.Length + tail.Length - sent;
        if (rest == 0)
        {
            return;
        }

        byte[] copy = _pool.Rent(rest);
        Span<byte> free = copy;
        Append(head, ref sent, ref free);
        Append(body, ref sent, ref free);
        Append(tail, ref sent, ref free);
        Enqueue(new Block(copy, 0, rest, IsAnswer: false));

        static void Append(ReadOnlySpan<byte> piece, ref int sent, ref Span<byte> free)
        {
            int skipped = Math.Min(piece.Length, sent);
            sent -= skipped;
            piece[skipped..].CopyTo(free);
            free = free[(piece.Length - skipped)..];
        }
    }

    /// <summary>
    /// What the socket had no room for is read now: a record that was begun has to be ended. False: the file has become
    /// shorter, and zeros took the place of what is missing.
    /// </summary>
    private bool TryEnqueueRest(ReadOnlySpan<byte> head, FilePart content, int sent)
    {
        int rest = head.Length + content.Count - sent;
        if (rest == 0)
        {
            return true;
        }

        byte[] copy = _pool.Rent(rest);
        ReadOnlySpan<byte> restOfHead = head[Math.Min(head.Length, sent)..];
        restOfHead.CopyTo(copy);
        bool isWhole = content.TryRead(
            copy.AsSpan(restOfHead.Length, rest - restOfHead.Length), Math.Max(sent - head.Length, 0));
        Enqueue(new Block(copy, 0, rest, IsAnswer: false));
        return isWhole;
    }

    private void DropQueue()
    {
        while (_queue.TryDequeue(out Block block))
        {
            _pool.Return(block.Buffer);
        }

        _unsent = _unsentAnswers = 0;
    }

    /// <summary>Whoever waited for room, and how many they are.</summary>
    private readonly record struct Room(TaskCompletionSource? Source, int Waiters)
    {
        /// <summary>
        /// One goes on here, on the thread that has sent, as it was begun on the thread that received. Of several none
        /// may hold the others up.
        /// </summary>
        public void Give(bool mayRunHere)
        {
            if (Source is null)
            {
                return;
            }

            if (!mayRunHere || Waiters > 1)
            {
                ThreadPool.UnsafeQueueUserWorkItem(static source => source.TrySetResult(), Source, preferLocal: false);
                return;
            }

            ContinuedRun.Run(static source => ((TaskCompletionSource)source!).TrySetResult(), Source);
        }
    }

    private readonly record struct Block(byte[] Buffer, int Offset, int Count, bool IsAnswer)
    {
        public ReadOnlyMemory<byte> Memory => Buffer.AsMemory(Offset, Count);
    }
}
