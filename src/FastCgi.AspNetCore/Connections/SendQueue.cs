using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The bytes that leave one socket: whole records, in the order in which requests hand them over. A send that the
/// socket takes at once costs no copy and no queue; the rest waits here. It is bounded: a flush waits for room, and
/// for answers that no flush waits for (the end of a response, a refusal) the connection stops reading what would
/// make more of them.
/// </summary>
/// <remarks>Its lock is the last in the lock order, and never held while a file is read: that may hang.</remarks>
internal sealed class SendQueue(TransportConnection transport, ServerContext server, IThreadPoolWorkItem lost)
    : ISendQueue
{
    /// <summary>The sender of a socket at this moment. Others queue.</summary>
    private enum Sender
    {
        /// <summary>Nothing is unsent, so the next caller sends by itself.</summary>
        Nobody,

        /// <summary>The transport has the block at the head of the queue.</summary>
        Transport,

        /// <summary>A thread sends a file, without the lock. What queues meanwhile follows the file.</summary>
        FileThread,
    }

    private readonly Lock _lock = new();

    // Guarded by the lock. What is unsent, the last progress and the sender are also read without it.
    private SendWaiters? _waiters;
    private long _unsent;
    private long _unsentAnswers;
    private long _progressAt;
    private volatile Sender _sender;
    private bool _lost;

    // Under the lock, and made when something first waits: an idle connection needs none.
    private SendWaiters Waiters => _waiters ??= new SendWaiters();

    private Queue<Block> Queued => field ??= new Queue<Block>();

    /// <summary>More is unsent than MaxResponseBufferSize.</summary>
    public bool IsFull => Volatile.Read(ref _unsent) > server.MaxUnsentBytes;

    /// <summary>Several requests send here, so a file would wait for the others. Written under the gate.</summary>
    public bool IsShared { get; set; }

    /// <summary>Something that was handed over is not in the socket yet.</summary>
    public bool HasUnsent => Volatile.Read(ref _unsent) > 0;

    /// <summary>More of what nobody waits for is unsent than MaxResponseBufferSize: the peer does not read.</summary>
    public bool HasUntakenAnswers => Volatile.Read(ref _unsentAnswers) > server.MaxUnsentBytes;

    /// <summary>A send has found the socket lost, or the connection has given it up.</summary>
    public bool IsLost => Volatile.Read(ref _lost);

    /// <summary>The peer has taken nothing of what waits for it for longer than SendTimeout.</summary>
    public bool IsStuck => HasUnsent
        && _sender != Sender.FileThread
        && server.Clock.HasPassed(server.Limits.SendTimeout, Volatile.Read(ref _progressAt));

    /// <inheritdoc/>
    public SendOutcome Send(byte[] buffer, int offset, int count) =>
        Send(new Block(buffer, offset, count, IsAnswer: false));

    /// <summary>
    /// Sends what no flush waits for: the end of a response, a refusal, the answer to a management record. The peer has
    /// to take it before more of it is made. The buffer is the queue's from now on.
    /// </summary>
    public void SendAnswer(byte[] buffer, int offset, int count)
    {
        if (Send(new Block(buffer, offset, count, IsAnswer: true)) != SendOutcome.Queued)
        {
            server.Buffers.Return(buffer);
        }
    }

    /// <inheritdoc cref="SendAnswer(byte[], int, int)"/>
    /// <param name="records">They are copied.</param>
    public void SendAnswer(ReadOnlySpan<byte> records)
    {
        byte[] buffer = server.Buffers.Rent(records.Length);
        records.CopyTo(buffer);
        SendAnswer(buffer, 0, records.Length);
    }

    /// <inheritdoc/>
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

    /// <inheritdoc/>
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

    /// <inheritdoc/>
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

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public bool TryForget(IRoomWaiter waiter)
    {
        SendWaiters.Wakeups wakeups;
        using (LockOrder.Enter(_lock, LockRank.Output))
        {
            if (!Waiters.TryForget(waiter))
            {
                return false;
            }

            // Others may have waited with it for everything, though they need less.
            wakeups = TakeWakeups();
        }

        wakeups.GiveElsewhere();
        return true;
    }

    /// <summary>
    /// Calls <paramref name="action"/> once, when the peer has taken most of <see cref="HasUntakenAnswers"/>. False,
    /// and no call, when it has already; no call either when the socket is lost.
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

    /// <summary>Calls <paramref name="action"/> once: when all that was handed over is sent or lost.</summary>
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

    /// <summary>The transport has sent the block at the head of the queue, or has lost the socket.</summary>
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

    /// <summary>The socket is lost: nothing is sent any more, and nobody waits for it.</summary>
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

    /// <summary>Whether bytes of others may go straight into the socket. Under the lock.</summary>
    private bool MaySendNow(out SendOutcome refusal)
    {
        refusal = _lost ? FindLost() : SendOutcome.Queued;
        return !_lost && _sender == Sender.Nobody;
    }

    /// <summary>
    /// The connection hears of it on another thread: the caller holds the lock of its response, which comes after the
    /// gate. Under the lock.
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
            // Before anything counts as unsent, see IsStuck.
            Volatile.Write(ref _progressAt, server.Clock.Now);
            Volatile.Write(ref _unsent, block.Count);
            SendNext();
        }
        else
        {
            _unsent += block.Count;
        }
    }

    /// <summary>The sender is done: the transport gets the next block, if there is one. Under the lock.</summary>
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

    /// <summary>The file's thread is back. What the socket did not take goes to the head of the queue.</summary>
    /// <returns>How much was sent, or Reset when the socket is lost.</returns>
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

        // Elsewhere: this thread is an application's, which goes on with its own file.
        wakeups.GiveElsewhere();
        return sent;
    }

    private SendWaiters.Wakeups TakeWakeups() => _waiters?.Take(
        room: _lost || HasRoom(_waiters.WaitForAll),
        drained: _unsent == 0,
        taken: !_lost && _unsentAnswers <= server.MaxUnsentBytes / 2) ?? default;

    /// <summary>Copies the bytes that the socket had no room for: the memory is the application's again.</summary>
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
    /// Reads what is left: a record that was begun has to be ended. False: the file has become shorter, and zeros take
    /// the place of what is missing.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read; zeros stand for it here too.</exception>
    private static bool TryReadRest(Span<byte> rest, ReadOnlySpan<byte> head, FilePart content, int sent)
    {
        Span<byte> restOfFile = rest[CopyRest(rest, head, sent)..];
        try
        {
            return content.TryRead(restOfFile, Math.Max(sent - head.Length, 0));
        }
        catch
        {
            // The record is ended all the same, and not by what another response left in the buffer.
            restOfFile.Clear();
            throw;
        }
    }

    /// <summary>Copies what is left of a piece of which the first <paramref name="sent"/> bytes were sent.</summary>
    /// <returns>The number of bytes that were left.</returns>
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
/// The callbacks that a <see cref="SendQueue"/> runs when it has sent: flushes that wait for room, the close that
/// waits for the last byte, and the reading that waits for answers to be taken. Guarded by the queue's lock.
/// </summary>
internal sealed class SendWaiters
{
    // Nearly always one: several only where requests share the connection.
    private IRoomWaiter? _room;
    private List<IRoomWaiter>? _more;
    private Action? _whenDrained;
    private Action? _whenAnswersAreTaken;

    /// <summary>One of the flushes waits until everything has left, and the others with it.</summary>
    public bool WaitForAll =>
        _room is { WaitsForAll: true } || _more?.Exists(static waiter => waiter.WaitsForAll) == true;

    /// <summary>Calls it when room is taken, which may run the application that waits.</summary>
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

    /// <summary>False: it does not wait.</summary>
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

    /// <summary>Takes the callbacks whose condition has come true.</summary>
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

    /// <summary>Callbacks taken under the lock, to be run after it.</summary>
    public struct Wakeups
    {
        public IRoomWaiter? Room;
        public List<IRoomWaiter>? More;
        public Action? Drained;
        public Action? Taken;

        /// <summary>On the thread that has sent. A failed send wakes flushes elsewhere.</summary>
        public readonly void Give(bool succeeded)
        {
            Taken?.Invoke();
            Drained?.Invoke();

            // A single flush goes on here, as its run began on the thread that received. Of several, none may hold the
            // others up.
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

        /// <summary>For a caller that holds locks, which what waited may need.</summary>
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
