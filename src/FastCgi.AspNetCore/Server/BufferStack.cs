namespace FastCgi.AspNetCore.Server;

/// <summary>Free buffers. What was used last is taken first: it is in the processor's cache.</summary>
internal sealed class BufferStack
{
    private readonly Lock _lock = new();

    // Guarded by the lock. The count is also read without it.
    private byte[]?[] _free = new byte[8][];
    private int _count;
    private int _fewest;

    public int Count => Volatile.Read(ref _count);

    /// <returns>Null where there is none.</returns>
    public byte[]? TryPop()
    {
        if (Count == 0)
        {
            return null;
        }

        lock (_lock)
        {
            if (_count == 0)
            {
                return null;
            }

            byte[]? buffer = _free[--_count];
            _free[_count] = null;
            _fewest = Math.Min(_fewest, _count);
            return buffer;
        }
    }

    public void Push(byte[] buffer)
    {
        lock (_lock)
        {
            if (_count == _free.Length)
            {
                Array.Resize(ref _free, _count * 2);
            }

            _free[_count++] = buffer;
        }
    }

    /// <summary>Drops what was free all the time since the last call.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            Array.Clear(_free, _count - _fewest, _fewest);
            _count -= _fewest;
            _fewest = _count;
        }
    }
}
