namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Holds that end at the next tick of the monitor at the latest. Most are over before: they are not taken out, because
/// to release them once more does nothing.
/// </summary>
internal sealed class TickReleases
{
    private readonly Lock _lock = new();

    // Under the lock. The two lists change places at each tick, so that nothing is allocated.
    private List<(IHeldBytes Bytes, int Hold)> _next = [];

    // The monitor's.
    private List<(IHeldBytes Bytes, int Hold)> _due = [];

    /// <summary>Nothing waits for the next tick.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_lock)
            {
                return _next.Count == 0;
            }
        }
    }

    public void Add(IHeldBytes bytes, int hold)
    {
        lock (_lock)
        {
            _next.Add((bytes, hold));
        }
    }

    /// <summary>Releases what was added since the last tick. True: there was something.</summary>
    public bool Tick()
    {
        lock (_lock)
        {
            (_next, _due) = (_due, _next);
        }

        foreach ((IHeldBytes bytes, int hold) in _due)
        {
            if (!TryRelease(bytes, hold))
            {
                Add(bytes, hold);
            }
        }

        bool hadAny = _due.Count > 0;
        _due.Clear();
        return hadAny;
    }

    private static bool TryRelease(IHeldBytes bytes, int hold)
    {
        try
        {
            return bytes.TryRelease(hold);
        }
        catch (Exception)
        {
            // The end of the response fails in the same way, and reports it. The monitor serves all responses.
            return true;
        }
    }
}
