namespace FastCgi.AspNetCore.Scheduling;

// Holds that end at the next tick at the latest. Most are over before: they are not taken out, because to release them
// once more does nothing.
internal sealed partial class InlineRunMonitor
{
    // Under the lock. The two lists change places at each tick, so that nothing is allocated.
    private List<(IHeldBytes Bytes, int Hold)> _nextReleases = [];

    // The monitor's.
    private List<(IHeldBytes Bytes, int Hold)> _dueReleases = [];

    private bool HasReleases
    {
        get
        {
            lock (_lock)
            {
                return _nextReleases.Count > 0;
            }
        }
    }

    /// <summary>Ends a hold at the next tick, if it is not over by then.</summary>
    public void ReleaseAtNextTick(IHeldBytes bytes, int hold)
    {
        AddRelease(bytes, hold);
        if (IsAsleep)
        {
            Wake();
        }
    }

    private void AddRelease(IHeldBytes bytes, int hold)
    {
        lock (_lock)
        {
            _nextReleases.Add((bytes, hold));
        }
    }

    /// <summary>Releases the holds that were added since the last tick. True: there was one.</summary>
    private bool Release()
    {
        lock (_lock)
        {
            (_nextReleases, _dueReleases) = (_dueReleases, _nextReleases);
        }

        foreach ((IHeldBytes bytes, int hold) in _dueReleases)
        {
            if (!TryRelease(bytes, hold))
            {
                AddRelease(bytes, hold);
            }
        }

        bool hadAny = _dueReleases.Count > 0;
        _dueReleases.Clear();
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
