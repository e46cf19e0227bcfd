using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// From the token in an event to its connection. A token is a slot (low half) and how often the slot was given out
/// (high half), so an event that was fetched before its connection closed does not reach the slot's next owner.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class ConnectionTable
{
    private const int InitialSize = 64;

    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private EpollConnection?[] _slots = new EpollConnection?[InitialSize];
    private uint[] _uses = new uint[InitialSize];
    private int _used;

    /// <summary>Takes a slot and gives the connection the token to register with.</summary>
    public void Add(EpollConnection connection)
    {
        lock (_lock)
        {
            if (!_free.TryPop(out int slot))
            {
                slot = _used++;
                if (slot == _slots.Length)
                {
                    Grow();
                }
            }

            // Before the connection can be found: a thread with an old event compares it at any moment.
            // The highest bit stays clear, so that no token is the wake-up's.
            connection.Token = ((ulong)(++_uses[slot] & int.MaxValue) << 32) | (uint)slot;
            Volatile.Write(ref _slots[slot], connection);
        }
    }

    /// <summary>Gives the slot back; its token finds nothing from now on.</summary>
    public void Remove(EpollConnection connection)
    {
        lock (_lock)
        {
            // Not there: it was never added, or is removed already.
            if (Find(connection.Token) == connection)
            {
                int slot = (int)(uint)connection.Token;
                Volatile.Write(ref _slots[slot], null);
                _free.Push(slot);
            }
        }
    }

    /// <summary>Null: the connection was closed since the event was fetched. Takes no lock.</summary>
    public EpollConnection? Find(ulong token)
    {
        EpollConnection?[] slots = Volatile.Read(ref _slots);
        uint slot = (uint)token;
        EpollConnection? connection = slot < (uint)slots.Length ? Volatile.Read(ref slots[slot]) : null;
        return connection is not null && connection.Token == token ? connection : null;
    }

    private void Grow()
    {
        Array.Resize(ref _uses, _uses.Length * 2);
        EpollConnection?[] larger = new EpollConnection?[_slots.Length * 2];
        _slots.CopyTo(larger, 0);
        Volatile.Write(ref _slots, larger);
    }
}
