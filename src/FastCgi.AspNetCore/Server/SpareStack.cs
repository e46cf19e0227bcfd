namespace FastCgi.AspNetCore.Server;

/// <summary>Spare objects. The last one used is taken first, because it is in the processor's cache.</summary>
internal sealed class SpareStack<T>
    where T : class
{
    private readonly Lock _lock = new();

    // Guarded by the lock. The count is also read without it.
    private readonly List<T> _free = [];
    private int _fewest;
    private int _trims;

    public int Count => _free.Count;

    /// <returns>Null if there is none.</returns>
    public T? TryPop()
    {
        if (Count == 0)
        {
            return null;
        }

        lock (_lock)
        {
            if (_free.Count == 0)
            {
                return null;
            }

            T spare = _free[^1];
            _free.RemoveAt(_free.Count - 1);
            _fewest = Math.Min(_fewest, _free.Count);
            return spare;
        }
    }

    public void Push(T spare)
    {
        lock (_lock)
        {
            _free.Add(spare);
        }
    }

    /// <summary>Called about once a second. Each period drops the objects that it never needed.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            if (++_trims % LargeBuffers.TrimPeriod == 0)
            {
                _free.RemoveRange(0, _fewest);
                _fewest = _free.Count;
            }
        }
    }
}
