using System.Diagnostics;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// What one thread runs inline. Only its thread writes, without interlocked operations; the monitor reads at any
/// moment and compares versions. The version is odd while a run is under way.
/// </summary>
internal sealed class InlineRunSlot
{
    private IInlineRun? _run;
    private long _version;

    // The monitor's own.
    private long _versionAtLastTick;

    /// <summary>A run began or ended since the monitor looked. The monitor's.</summary>
    public bool HasRunSinceTick => Volatile.Read(ref _version) != _versionAtLastTick;

    /// <summary>The runs that ended in this slot, whichever threads had it.</summary>
    public long EndedRuns => Volatile.Read(ref _version) >> 1;

    public void Begin(IInlineRun run)
    {
        _run = run;
        Volatile.Write(ref _version, _version + 1);
    }

    public void End()
    {
        Volatile.Write(ref _version, _version + 1);
        _run = null;
    }

    /// <summary>
    /// The monitor looks: a run that was there at the last tick is told. True: something runs or has run since.
    /// </summary>
    public bool Tick()
    {
        long version = Volatile.Read(ref _version);
        bool hasRun = version != _versionAtLastTick;
        bool isRunning = (version & 1) != 0;
        if (isRunning && !hasRun)
        {
            IInlineRun? run = Volatile.Read(ref _run);
            if (run is not null && Volatile.Read(ref _version) == version)
            {
                Tell(run);
            }
        }

        _versionAtLastTick = version;
        return hasRun || isRunning;
    }

    private static void Tell(IInlineRun run)
    {
        try
        {
            run.OnStillRunning();
        }
        catch (Exception exception)
        {
            // What fails here fails again in the run itself, where it is answered for. The monitor serves all.
            Debug.Fail(exception.ToString());
        }
    }
}
