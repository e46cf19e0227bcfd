using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// How many threads to add when applications block. A thread that computes is no reason for another, so nothing is
/// added while the process already has the processors; but when nothing ends at all, one is added from time to time,
/// so that an abort or a short request gets through.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class WorkerGrowth(int processors, Func<TimeSpan>? processorTime = null)
{
    /// <summary>Far more than any web server sends at once to blocking handlers that are worth waiting for.</summary>
    public const int MaxWorkers = 1024;

    private const int BusyRunsPerWorker = 4;
    private const int MaxStep = 64;
    private const int TicksUntilStuck = 20;
    private const double ComputingShare = 0.9;

    private readonly Func<TimeSpan> _processorTime = processorTime ?? (static () => Environment.CpuUsage.TotalTime);
    private TimeSpan _usedBefore;
    private bool _usedBeforeIsKnown;
    private int _step = 1;
    private int _ticksWithoutEnd;

    /// <summary>What a tick of the monitor saw, and how many threads that asks for.</summary>
    public int Decide(int workers, int waiting, long ended, TimeSpan sinceLastTick)
    {
        if (waiting > 0 || ended >= (long)BusyRunsPerWorker * workers)
        {
            _step = 1;
            _ticksWithoutEnd = 0;
            _usedBeforeIsKnown = false;
            return 0;
        }

        _ticksWithoutEnd = ended == 0 ? _ticksWithoutEnd + 1 : 0;
        if (IsComputing(sinceLastTick))
        {
            _step = 1;
            if (_ticksWithoutEnd < TicksUntilStuck)
            {
                return 0;
            }

            _ticksWithoutEnd = 0;
        }

        int wanted = Math.Min(_step, MaxWorkers - workers);
        _step = Math.Min(_step * 2, MaxStep);
        return Math.Max(wanted, 0);
    }

    /// <summary>Asked only while all threads are held. The first tick has nothing to compare with.</summary>
    private bool IsComputing(TimeSpan sinceLastTick)
    {
        TimeSpan used = _processorTime();
        bool isComputing = !_usedBeforeIsKnown
            || used - _usedBefore >= sinceLastTick * processors * ComputingShare;
        _usedBefore = used;
        _usedBeforeIsKnown = true;
        return isComputing;
    }
}
