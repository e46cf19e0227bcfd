namespace FastCgi.AspNetCore.Transport.Memory;

/// <summary>One direction of a connection in memory: a ring of bytes with an end. Every call returns at once.</summary>
internal sealed class MemoryQueue
{
    public const int Capacity = 64 * 1024;

    private readonly Lock _lock = new();
    private readonly byte[] _bytes = new byte[Capacity];
    private int _start;
    private int _count;
    private bool _isEnded;
    private TaskCompletionSource? _change;

    public bool IsEmpty => State.Count == 0;

    public bool HasRoom => State is var (count, isEnded) && (count < Capacity || isEnded);

    /// <summary>Nothing can be written any more. What was written can still be read.</summary>
    public bool IsEnded => State.IsEnded;

    private (int Count, bool IsEnded) State
    {
        get
        {
            lock (_lock)
            {
                return (_count, _isEnded);
            }
        }
    }

    /// <summary>Completes at the next read, write or end. Ask for it before a look at the state.</summary>
    public Task Change
    {
        get
        {
            lock (_lock)
            {
                return (_change ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            }
        }
    }

    /// <summary>Takes what fits and returns its length.</summary>
    public int Write(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            int length = _isEnded ? 0 : Math.Min(bytes.Length, Capacity - _count);
            int end = (_start + _count) % Capacity;
            int first = Math.Min(length, Capacity - end);
            bytes[..first].CopyTo(_bytes.AsSpan(end));
            bytes[first..length].CopyTo(_bytes);
            _count += length;
            Report(length > 0);
            return length;
        }
    }

    /// <summary>Takes what is there off the front and returns its length.</summary>
    public int Read(Span<byte> bytes)
    {
        lock (_lock)
        {
            int length = Math.Min(bytes.Length, _count);
            int first = Math.Min(length, Capacity - _start);
            _bytes.AsSpan(_start, first).CopyTo(bytes);
            _bytes.AsSpan(0, length - first).CopyTo(bytes[first..]);
            _start = (_start + length) % Capacity;
            _count -= length;
            Report(length > 0);
            return length;
        }
    }

    /// <summary>Ends the direction. Idempotent.</summary>
    /// <param name="dropsRest">What was not read is lost.</param>
    public void End(bool dropsRest = false)
    {
        lock (_lock)
        {
            _isEnded = true;
            _count = dropsRest ? 0 : _count;
            Report(hasChanged: true);
        }
    }

    private void Report(bool hasChanged)
    {
        if (hasChanged)
        {
            _change?.TrySetResult();
            _change = null;
        }
    }
}
