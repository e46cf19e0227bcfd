using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// What leaves one socket: whole records, in the order in which requests hand them over. A send that the socket takes
/// at once costs no copy and no queue; the rest waits here, bounded because whoever flushes waits for it.
/// </summary>
internal sealed class ConnectionOutput(TransportConnection transport, BufferPool pool, long? limit)
{
    private readonly Lock _lock = new();
    private readonly Queue<Block> _queue = new();
    private readonly long _limit = limit ?? long.MaxValue;
    private TaskCompletionSource? _room;
    private Action? _whenDrained;
    private long _unsent;
    private bool _lost;

    /// <summary>More is unsent than MaxResponseBufferSize.</summary>
    public bool IsFull => Volatile.Read(ref _unsent) > _limit;

    /// <summary>Something that was handed over is not in the socket yet.</summary>
    public bool HasUnsent => Volatile.Read(ref _unsent) > 0;

    public SendOutcome Send(byte[] buffer, int offset, int count)
    {
        lock (_lock)
        {
            if (_lost)
            {
                return SendOutcome.Lost;
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
                    _lost = true;
                    return SendOutcome.Lost;
                }
            }

            Enqueue(new Block(buffer, offset + Math.Max(sent, 0), count - Math.Max(sent, 0)));
            return SendOutcome.Queued;
        }
    }

    /// <summary>Sends bytes that nobody else owns: management answers and the end of a torn response.</summary>
    public void SendCopy(ReadOnlySpan<byte> records)
    {
        byte[] buffer = pool.Rent(records.Length);
        records.CopyTo(buffer);
        if (Send(buffer, 0, records.Length) != SendOutcome.Queued)
        {
            pool.Return(buffer);
        }
    }

    public Task WaitForRoomAsync()
    {
        lock (_lock)
        {
            if (_lost || !IsFull)
            {
                return Task.CompletedTask;
            }

            _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _room.Task;
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
        TaskCompletionSource? room = null;
        Action? drained = null;
        lock (_lock)
        {
            if (!succeeded)
            {
                _lost = true;
            }

            Block block = _queue.Dequeue();
            pool.Return(block.Buffer);
            _unsent -= block.Count;
            if (_lost)
            {
                DropQueue();
            }
            else if (_queue.TryPeek(out Block next))
            {
                transport.SendLater(next.Memory);
            }

            if (_lost || !IsFull)
            {
                (room, _room) = (_room, null);
            }

            if (_unsent == 0)
            {
                (drained, _whenDrained) = (_whenDrained, null);
            }
        }

        room?.TrySetResult();
        drained?.Invoke();
    }

    /// <summary>The socket is lost: nothing is sent any more, and nobody waits for it.</summary>
    public void Lose()
    {
        TaskCompletionSource? room;
        lock (_lock)
        {
            _lost = true;
            (room, _room) = (_room, null);
        }

        room?.TrySetResult();
    }

    private void Enqueue(Block block)
    {
        _queue.Enqueue(block);
        _unsent += block.Count;
        if (_queue.Count == 1)
        {
            transport.SendLater(block.Memory);
        }
    }

    private void DropQueue()
    {
        while (_queue.TryDequeue(out Block block))
        {
            pool.Return(block.Buffer);
        }

        _unsent = 0;
    }

    private readonly record struct Block(byte[] Buffer, int Offset, int Count)
    {
        public ReadOnlyMemory<byte> Memory => Buffer.AsMemory(Offset, Count);
    }
}
