namespace FastCgi.AspNetCore.Server;

/// <summary>
/// Buffers of 64 KiB, which bodies go through. They are pinned objects, so they survive no collection of the youngest
/// generation: arrays that do would make the collector let it grow beyond what the whole server needs.
/// </summary>
internal sealed class LargeBuffers
{
    /// <summary>Of each, in bytes.</summary>
    public const int Size = 64 * 1024;

    /// <summary>Calls of <see cref="Trim"/> between two looks at what is left over.</summary>
    public const int TrimPeriod = 4;

    private readonly Lock _lock = new();

    // Guarded by the lock. A stack: what was used last is in the processor's cache.
    private byte[]?[] _free = new byte[16][];
    private int _count;
    private int _fewest;
    private int _calls;

    public int Free => Volatile.Read(ref _count);

    public byte[] Rent()
    {
        lock (_lock)
        {
            if (_count > 0)
            {
                byte[] buffer = _free[--_count]!;
                _free[_count] = null;
                _fewest = Math.Min(_fewest, _count);
                return buffer;
            }
        }

        return GC.AllocateUninitializedArray<byte>(Size, pinned: true);
    }

    public void Return(byte[] buffer)
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

    /// <summary>Called about once a second. Leaves to the collector what nobody needed since the last look.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            if (++_calls < TrimPeriod)
            {
                return;
            }

            _calls = 0;
            Array.Clear(_free, _count - _fewest, _fewest);
            _count -= _fewest;
            _fewest = _count;
        }
    }
}
