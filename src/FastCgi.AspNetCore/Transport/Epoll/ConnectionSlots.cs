namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Finds the connection of an event. An event carries a slot and the generation of its tenant, because one that was
/// already taken from the set may be looked at after its connection was closed and the slot let again.
/// </summary>
internal sealed class ConnectionSlots
{
    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private Slot[] _slots = new Slot[64];
    private int _used;

    public ulong Add(EpollConnection connection)
    {
        lock (_lock)
        {
            if (!_free.TryPop(out int index))
            {
                index = _used++;
                if (index == _slots.Length)
                {
                    // Readers may hold the old array: its slots stay right for everything that is in it.
                    Array.Resize(ref _slots, _slots.Length * 2);
                }

                _slots[index] = new Slot();
            }

            Slot slot = _slots[index];
            slot.Generation++;
            Volatile.Write(ref slot.Connection, connection);
            return ((ulong)slot.Generation << 32) | (uint)index;
        }
    }

    public void Remove(ulong data)
    {
        lock (_lock)
        {
            int index = (int)(uint)data;
            Slot slot = _slots[index];
            if (slot.Generation == (uint)(data >> 32))
            {
                Volatile.Write(ref slot.Connection, null);
                _free.Push(index);
            }
        }
    }

    public EpollConnection? Find(ulong data)
    {
        Slot[] slots = Volatile.Read(ref _slots);
        int index = (int)(uint)data;
        EpollConnection? connection = index < slots.Length ? Volatile.Read(ref slots[index].Connection) : null;
        return connection?.Data == data ? connection : null;
    }

    private sealed class Slot
    {
        public uint Generation;
        public EpollConnection? Connection;
    }
}
