using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The unsent bytes of one socket: whole records, in the order in which requests hand them over. Bytes that the socket
/// takes at once are neither copied nor queued. The queue is bounded: a flush waits for room. No flush waits for
/// answers (the end of a response, a refusal), so too many of them pause the reading of the connection.
/// </summary>
/// <remarks>Its lock is the last in the lock order. It is never held while a file is read: that may hang.</remarks>
internal sealed class SendQueue(TransportConnection transport, ServerContext server, IThreadPoolWorkItem lost)
    : ISendQueue
{
    /// <summary>The current sender of the socket. All other senders queue.</summary>
    private enum Sender
    {
        /// <summary>Nothing is unsent, so the next caller sends directly.</summary>
        Nobody,

        /// <summary>The transport sends the block at the head of the queue.</summary>
        Transport,

        /// <summary>A thread sends a file, without the lock. Blocks queued meanwhile follow the file.</summary>
        FileThread,
    }

    private readonly Lock _lock = new();

    // Guarded by the lock. The unsent count, the time of the last progress and the sender are also read without it.
    private SendWaiters? _waiters;
    private long _unsent;
    private long _unsentAnswers;
    private long _progressAt;
    private volatile Sender _sender;
    private bool _lost;

    // Under the lock. Created at the first wait, so an idle connection has none.
    private SendWaiters Waiters => _waiters ??= new SendWaiters();

    private Queue<Block> Queued => field ??= new Queue<Block>();

    /// <summary>True if more is unsent than MaxResponseBufferSize.</summary>
    public bool IsFull => Volatile.Read(ref _unsent) > server.MaxUnsentBytes;

    /// <summary>True if several requests send here: a file would wait for the others. Set under the gate.</summary>
    public bool IsShared { get; set; }

    /// <summary>True if some bytes are not in the socket yet.</summary>
    public bool HasUnsent => Volatile.Read(ref _unsent) > 0;

    /// <summary>True if more answers are unsent than MaxResponseBufferSize: the peer does not read.</summary>
    public bool HasUntakenAnswers => Volatile.Read(ref _unsentAnswers) > server.MaxUnsentBytes;

    /// <summary>True if a send has found the socket lost, or the connection has given it up.</summary>
    public bool IsLost => Volatile.Read(ref _lost);

    /// <summary>True if the peer has taken none of the unsent bytes for longer than SendTimeout.</summary>
    public bool IsStuck => HasUnsent
        && _sender != Sender.FileThread
        && server.Clock.HasPassed(server.Limits.SendTimeout, Volatile.Read(ref _progressAt));

    public SendOutcome Send(byte[] buffer, int offset, int count) =>
        Send(new Block(buffer, offset, count, IsAnswer: false));

    /// <summary>
    /// Sends an answer that no flush waits for: the end of a response, a refusal, the answer to a management record. If
    /// too many are unsent, the connection stops reading. The queue owns the buffer from now on.
    /// </summary>
    public void SendAnswer(byte[] buffer, int offset, int count)
    {
        if (Send(new Block(buffer, offset, count, IsAnswer: true)) != SendOutcome.Queued)
        {
            server.Buffers.Return(buffer);
        }
    }

    /// <inheritdoc cref="SendAnswer(byte[], int, int)"/>
    /// <param name="records">The records, which are copied.</param>
    public void SendAnswer(ReadOnlySpan<byte> records)
    {
        byte[] buffer = server.Buffers.Rent(records.Length);
        records.CopyTo(buffer);
        SendAnswer(buffer, 0, records.Length);
    }

    public SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Output);
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

    public bool TryReserve(int count, out SendOutcome refusal)
    {
        refusal = SendOutcome.Queued;
        if (!transport.SendsFiles || IsShared)
        {
            return false;
        }

        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Output);
        if (!MaySendNow(out refusal))
        {
            return false;
        }

        _sender = Sender.FileThread;
        Volatile.Write(ref _unsent, count);
        return true;
    }

    public SendOutcome SendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        int count = head.Length + content.Count;
        int sent = TransportConnection.Reset;
        byte[]? rest = null;
        bool isWhole = true;
        try
        {
            sent = transport.SendFile(head, content);
            if (sent != TransportConnection.Reset && sent < count)
            {
                sent = Math.Max(sent, 0);
                rest = server.Buffers.Rent(count - sent);
                isWhole = TryReadRest(rest.AsSpan(0, count - sent), head, content, sent);
            }
        }
        finally
        {
            sent = EndFile(count, sent, rest);
        }

        return sent == TransportConnection.Reset ? SendOutcome.Lost
            : isWhole ? SendOutcome.Sent
            : SendOutcome.Truncated;
    }

    public bool TryAwaitRoom(IRoomWaiter waiter)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Output);
        if (_lost || HasRoom(waiter.WaitsForAll))
        {
            return false;
        }

        Waiters.AwaitRoom(waiter);
        return true;
    }

    public bool TryForget(IRoomWaiter waiter)
    {
        SendWaiters.Wakeups wakeups;
        using (LockOrder.Enter(_lock, LockRank.Output))
        {
            if (!Waiters.TryForget(waiter))
            {
                return false;
            }

            // Others may have waited with it until all was sent, although they need less.
            wakeups = TakeWakeups();
        }

        wakeups.GiveElsewhere();
        return true;
    }

    /// <summary>
    /// Calls <paramref name="action"/> once, when the peer has taken most of <see cref="HasUntakenAnswers"/>. Returns
    /// false, without a call, if it has already. Makes no call either if the socket is lost.
    /// </summary>
    public bool TryAwaitTaking(Action action)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Output);
        if (_lost || !HasUntakenAnswers)
        {
            return false;
        }

        Waiters.AwaitTaken(action);
        return true;
    }

    /// <summary>Calls <paramref name="action"/> once, when all bytes are sent or lost.</summary>
    public void WhenDrained(Action action)
    {
        using (LockOrder.Enter(_lock, LockRank.Output))
        {
            if (!_lost && _unsent > 0)
            {
                Waiters.AwaitDrained(action);
                return;
            }
        }

        action();
    }

    /// <summary>Called when the transport has sent the first block of the queue, or lost the socket.</summary>
    public void OnSendCompleted(bool succeeded)
    {
        SendWaiters.Wakeups wakeups;
        using (LockOrder.Enter(_lock, LockRank.Output))
        {
            _lost |= !succeeded;
            Block block = Queued.Dequeue();
            server.Buffers.Return(block.Buffer);
            _unsent -= block.Count;
            _unsentAnswers -= block.IsAnswer ? block.Count : 0;
            _progressAt = server.Clock.Now;
            SendNext();
            wakeups = TakeWakeups();
        }

        wakeups.Give(succeeded);
    }

    /// <summary>Marks the socket as lost. Nothing is sent any more, and all waits end.</summary>
    public void Lose()
    {
        SendWaiters.Wakeups wakeups;
        using (LockOrder.Enter(_lock, LockRank.Output))
        {
            _lost = true;
            wakeups = _waiters?.Take(room: true) ?? default;
        }

        wakeups.GiveElsewhere();
    }

    private SendOutcome Send(Block block)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Output);
        if (_lost)
        {
            return FindLost();
        }

        int sent = 0;
        if (_sender == Sender.Nobody)
        {
            // 17. Send: head, body and end in one call that does not block.
            sent = transport.Send(block.Bytes);
            if (sent == block.Count)
            {
                return SendOutcome.Sent;
            }

            if (sent == TransportConnection.Reset)
            {
                return FindLost();
            }
        }

        Enqueue(block.After(Math.Max(sent, 0)));
        return SendOutcome.Queued;
    }

    /// <summary>True if the caller may send directly into the socket. Under the lock.</summary>
    private bool MaySendNow(out SendOutcome refusal)
    {
        refusal = _lost ? FindLost() : SendOutcome.Queued;
        return !_lost && _sender == Sender.Nobody;
    }

    /// <summary>
    /// Notes that the socket is lost, and tells the connection on another thread: the caller may hold the lock of its
    /// response, and the gate comes before that lock. Under the lock.
    /// </summary>
    private SendOutcome FindLost()
    {
        _lost = true;
        EndingThreads.Queue(static lost => lost.Execute(), lost);
        return SendOutcome.Lost;
    }

    /// <summary>Unsent bytes are within the limit, or zero if <paramref name="all"/>. Under the lock.</summary>
    private bool HasRoom(bool all) => all ? _unsent == 0 : !IsFull;

    private void Enqueue(Block block)
    {
        Queued.Enqueue(block);
        _unsentAnswers += block.IsAnswer ? block.Count : 0;
        if (_sender == Sender.Nobody)
        {
            // Set before any byte counts as unsent, see IsStuck.
            Volatile.Write(ref _progressAt, server.Clock.Now);
            Volatile.Write(ref _unsent, block.Count);
            SendNext();
        }
        else
        {
            _unsent += block.Count;
        }
    }

    /// <summary>Gives the transport the next block, if there is one. Under the lock.</summary>
    private void SendNext()
    {
        if (_lost)
        {
            DropQueue();
        }

        if (Queued.TryPeek(out Block next))
        {
            _sender = Sender.Transport;
            transport.SendLater(next.Memory);
        }
        else
        {
            _sender = Sender.Nobody;
        }
    }

    /// <summary>Ends the send of a file. Bytes that the socket did not take go to the head of the queue.</summary>
    /// <returns>The number of bytes sent, or Reset if the socket is lost.</returns>
    private int EndFile(int count, int sent, byte[]? rest)
    {
        SendWaiters.Wakeups wakeups;
        using (LockOrder.Enter(_lock, LockRank.Output))
        {
            if (sent == TransportConnection.Reset && !_lost)
            {
                FindLost();
            }

            _unsent -= count;
            Volatile.Write(ref _progressAt, server.Clock.Now);
            if (rest is not null)
            {
                _unsent += count - sent;
                Queued.Enqueue(new Block(rest, 0, count - sent, IsAnswer: false));
                for (int behind = Queued.Count - 1; behind > 0; behind--)
                {
                    Queued.Enqueue(Queued.Dequeue());
                }
            }

            SendNext();
            wakeups = TakeWakeups();
            sent = _lost ? TransportConnection.Reset : sent;
        }

        // On other threads: this one belongs to an application, which continues with its own file.
        wakeups.GiveElsewhere();
        return sent;
    }

    private SendWaiters.Wakeups TakeWakeups() => _waiters?.Take(
        room: _lost || HasRoom(_waiters.WaitForAll),
        drained: _unsent == 0,
        taken: !_lost && _unsentAnswers <= server.MaxUnsentBytes / 2) ?? default;

    /// <summary>Copies the bytes that the socket did not take: the application gets its memory back.</summary>
    private void EnqueueRest(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail, int sent)
    {
        int rest = head.Length + body.Length + tail.Length - sent;
        if (rest == 0)
        {
            return;
        }

        byte[] copy = server.Buffers.Rent(rest);
        Span<byte> room = copy;
        room = room[CopyRest(room, head, sent)..];
        room = room[CopyRest(room, body, sent - head.Length)..];
        CopyRest(room, tail, sent - head.Length - body.Length);
        Enqueue(new Block(copy, 0, rest, IsAnswer: false));
    }

    /// <summary>
    /// Reads the unsent rest of a file, because a record that has begun must be completed. False if the file has become
    /// shorter; zeros then replace the missing bytes.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read. Zeros replace its bytes here too.</exception>
    private static bool TryReadRest(Span<byte> rest, ReadOnlySpan<byte> head, FilePart content, int sent)
    {
        Span<byte> restOfFile = rest[CopyRest(rest, head, sent)..];
        try
        {
            return content.TryRead(restOfFile, Math.Max(sent - head.Length, 0));
        }
        catch
        {
            // The record is completed anyway, but not with bytes that another response left in the buffer.
            restOfFile.Clear();
            throw;
        }
    }

    /// <summary>Copies the unsent rest of a piece of which the first <paramref name="sent"/> bytes were sent.</summary>
    /// <returns>The number of unsent bytes.</returns>
    private static int CopyRest(Span<byte> rest, ReadOnlySpan<byte> piece, int sent)
    {
        ReadOnlySpan<byte> left = piece[Math.Clamp(sent, 0, piece.Length)..];
        left.CopyTo(rest);
        return left.Length;
    }

    private void DropQueue()
    {
        while (Queued.TryDequeue(out Block block))
        {
            server.Buffers.Return(block.Buffer);
        }

        _unsent = _unsentAnswers = 0;
    }

    private readonly record struct Block(byte[] Buffer, int Offset, int Count, bool IsAnswer)
    {
        public ReadOnlySpan<byte> Bytes => Buffer.AsSpan(Offset, Count);

        public ReadOnlyMemory<byte> Memory => Buffer.AsMemory(Offset, Count);

        public Block After(int sent) => this with { Offset = Offset + sent, Count = Count - sent };
    }
}

/// <summary>
/// Callbacks that a <see cref="SendQueue"/> runs after a send: flushes that wait for room, the close that waits for the
/// last byte, and the reading that waits until answers are taken. Guarded by the queue's lock.
/// </summary>
internal sealed class SendWaiters
{
    // Nearly always one: there are several only if requests share the connection.
    private IRoomWaiter? _room;
    private List<IRoomWaiter>? _more;
    private Action? _whenDrained;
    private Action? _whenAnswersAreTaken;

    /// <summary>True if one of the flushes waits until all is sent. Then the other flushes wait for it too.</summary>
    public bool WaitForAll =>
        _room is { WaitsForAll: true } || _more?.Exists(static waiter => waiter.WaitsForAll) == true;

    /// <summary>Calls the waiter when there is room, which may run the waiting application.</summary>
    public void AwaitRoom(IRoomWaiter waiter)
    {
        if (_room is null)
        {
            _room = waiter;
        }
        else
        {
            (_more ??= []).Add(waiter);
        }
    }

    /// <summary>False if it does not wait.</summary>
    public bool TryForget(IRoomWaiter waiter)
    {
        if (_room == waiter)
        {
            _room = _more?[^1];
            _more?.RemoveAt(_more.Count - 1);
        }
        else if (_more?.Remove(waiter) != true)
        {
            return false;
        }

        if (_more is { Count: 0 })
        {
            _more = null;
        }

        return true;
    }

    public void AwaitDrained(Action action) => _whenDrained = action;

    public void AwaitTaken(Action action) => _whenAnswersAreTaken = action;

    /// <summary>Takes the callbacks whose condition is met.</summary>
    public Wakeups Take(bool room, bool drained = false, bool taken = false)
    {
        var wakeups = new Wakeups
        {
            Drained = drained ? Take(ref _whenDrained) : null,
            Taken = taken ? Take(ref _whenAnswersAreTaken) : null,
        };
        if (room)
        {
            wakeups.Room = Take(ref _room);
            wakeups.More = Take(ref _more);
        }

        return wakeups;
    }

    private static T? Take<T>(ref T? field)
        where T : class
    {
        T? taken = field;
        field = null;
        return taken;
    }

    /// <summary>Callbacks that are taken under the lock and run after it.</summary>
    public struct Wakeups
    {
        public IRoomWaiter? Room;
        public List<IRoomWaiter>? More;
        public Action? Drained;
        public Action? Taken;

        /// <summary>Runs the callbacks on the sending thread. After a failed send, flushes run elsewhere.</summary>
        public readonly void Give(bool succeeded)
        {
            Taken?.Invoke();
            Drained?.Invoke();

            // A single flush continues here, just as its run began on the thread that received. Several flushes must
            // not wait for each other.
            if (Room is not null && succeeded && More is null && !InlineRuns.OnlyReads)
            {
                InlineRuns.Begin(run: null);
                try
                {
                    Room.OnRoom();
                }
                finally
                {
                    InlineRuns.End();
                }
            }
            else
            {
                QueueRoom();
            }
        }

        /// <summary>Queues the callbacks, because the caller holds locks that they may need.</summary>
        public readonly void GiveElsewhere()
        {
            Queue(Taken);
            Queue(Drained);
            QueueRoom();
        }

        private static void Queue(Action? action)
        {
            if (action is not null)
            {
                PoolWork.Queue(static action => action(), action);
            }
        }

        private static void Queue(IRoomWaiter waiter) => PoolWork.Queue(static waiter => waiter.OnRoom(), waiter);

        private readonly void QueueRoom()
        {
            if (Room is not null)
            {
                Queue(Room);
                More?.ForEach(Queue);
            }
        }
    }
}
