using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// The owners of the descriptors in a set, found by the token in an event. A token is a slot (low half) and how often
/// the slot was given out (high half), so an event that was fetched before its descriptor closed does not reach the
/// slot's next owner.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollTargets(IEpollSet set)
{
    private const int InitialSize = 64;

    private readonly Lock _lock = new();
    private int[] _free = new int[InitialSize];
    private int _freeCount;
    private IEpollTarget?[] _slots = new IEpollTarget?[InitialSize];
    private uint[] _uses = new uint[InitialSize];
    private int _used;

    // The system watches no further descriptor (fs.epoll.max_user_watches).
    private volatile bool _isFull;

    /// <summary>How often the log is told of connections that are lost because the set is full.</summary>
    public LogInterval Refusals { get; } = new(TimeProvider.System);

    /// <summary>Takes a slot and gives the target the token to register with.</summary>
    public void Add(IEpollTarget target)
    {
        lock (_lock)
        {
            int slot = _freeCount > 0 ? _free[--_freeCount] : _used++;
            if (slot == _slots.Length)
            {
                Grow();
            }

            // Before the target can be found: a thread with an old event compares it at any moment.
            // The highest bit stays clear, so that no token is the wake-up's.
            target.Token = ((ulong)(++_uses[slot] & int.MaxValue) << 32) | (uint)slot;
            Volatile.Write(ref _slots[slot], target);
        }
    }

    /// <summary>Gives the slot back; its token finds nothing from now on.</summary>
    public void Remove(IEpollTarget target)
    {
        lock (_lock)
        {
            // Not there: it was never added, or is removed already.
            if (Find(target.Token) == target)
            {
                int slot = (int)(uint)target.Token;
                Volatile.Write(ref _slots[slot], null);
                _free[_freeCount++] = slot;
            }
        }
    }

    /// <summary>Null: its descriptor was closed since the event was fetched. Takes no lock.</summary>
    public IEpollTarget? Find(ulong token)
    {
        IEpollTarget?[] slots = Volatile.Read(ref _slots);
        uint slot = (uint)token;
        IEpollTarget? target = slot < (uint)slots.Length ? Volatile.Read(ref slots[slot]) : null;
        return target is not null && target.Token == token ? target : null;
    }

    /// <summary>
    /// Watches a descriptor for <paramref name="events"/> and reports what it is ready for at this moment. The error
    /// number; 0 for none, and for a descriptor that is closed by now.
    /// </summary>
    /// <remarks>The descriptor is referenced meanwhile: its number cannot go to a new connection.</remarks>
    public int Arm(SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token)
    {
        bool isOurs = false;
        try
        {
            descriptor.DangerousAddRef(ref isOurs);
            int error = set.TryWatch(descriptor.DangerousGetHandle(), isWatched, events, token);
            if (error is ErrorNumber.NoSpace or ErrorNumber.OutOfMemory)
            {
                _isFull = true;
            }

            return error;
        }
        catch (ObjectDisposedException)
        {
            return 0;
        }
        finally
        {
            if (isOurs)
            {
                descriptor.DangerousRelease();
            }
        }
    }

    /// <summary>Whether the set refuses another descriptor. While it does, each call asks the system again.</summary>
    public bool IsFull()
    {
        if (_isFull && set.HasRoom())
        {
            _isFull = false;
        }

        return _isFull;
    }

    private void Grow()
    {
        Array.Resize(ref _uses, _uses.Length * 2);
        Array.Resize(ref _free, _free.Length * 2);
        IEpollTarget?[] larger = new IEpollTarget?[_slots.Length * 2];
        _slots.CopyTo(larger, 0);
        Volatile.Write(ref _slots, larger);
    }
}

/// <summary>The owner of a descriptor in the set.</summary>
internal interface IEpollTarget
{
    /// <summary>The number that the kernel hands back with each event; set while the target is in the table.</summary>
    ulong Token { get; set; }

    /// <summary>An event from the set, on a waiting thread that may stay as long as an application runs.</summary>
    void OnEvents(EpollEvents events);

    /// <summary>Has the events of this moment reported again. The target deals with a system that refuses.</summary>
    void Rearm();
}
