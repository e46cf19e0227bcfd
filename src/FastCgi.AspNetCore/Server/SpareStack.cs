namespace FastCgi.AspNetCore.Server;

/// <summary>Spare objects. The last one used is taken first, because it is in the processor's cache.</summary>
internal sealed class SpareStack<T>
    where T : class
{
    private readonly Lock _lock = new();

    // Guarded by the lock. The count is also read without it.
    private T?[] _free = new T[8];
    private int _count;
    private int _fewest;

    public int Count => Volatile.Read(ref _count);

    /// <returns>Null if there is none.</returns>
    public T? TryPop()
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

            T? spare = _free[--_count];
            _free[_count] = null;
            _fewest = Math.Min(_fewest, _count);
            return spare;
        }
    }

    public void Push(T spare)
    {
        lock (_lock)
        {
            if (_count == _free.Length)
            {
                Array.Resize(ref _free, _count * 2);
            }

            _free[_count++] = spare;
        }
    }

    /// <summary>Drops the objects that were never needed since the last call.</summary>
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
