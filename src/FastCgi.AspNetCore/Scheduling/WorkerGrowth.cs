using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// How many threads to add, or to let go. One is best as long as it keeps up: each event wakes nobody else. Others come
/// when the threads are held by applications that block, twice as many at each tick, or when what they compute fills
/// them; a thread that computes is no reason for more than the processors, but when nothing ends at all, one is added
/// from time to time, so that an abort or a short request gets through.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class WorkerGrowth(int processors, Func<TimeSpan>? processorTime = null)
{
    /// <summary>Far more than any web server sends at once to blocking handlers that are worth waiting for.</summary>
    public const int MaxWorkers = 1024;

    private const int BusyRunsPerWorker = 4;
    private const int MaxStep = 64;
    private const int TicksUntilStuck = 20;
    private const int TicksOfGrowth = 20;
    private const int TicksOfCalm = 200;
    private const double ComputingShare = 0.9;
    private const double FullShare = 0.8;
    private const double IdleShare = 0.6;

    /// <summary>
    /// How long the runs of the last tick may have taken on average for batches to be worth while: the last of a batch
    /// waits for seven such runs, and waking another thread for it would take as long.
    /// </summary>
    private static readonly TimeSpan s_longestRun = TimeSpan.FromMicroseconds(100);

    private readonly Func<TimeSpan> _processorTime = processorTime ?? (static () => Environment.CpuUsage.TotalTime);
    private TimeSpan _usedBefore;
    private bool _usedBeforeIsKnown;
    private int _step = 1;
    private int _ticksWithoutEnd;
    private readonly WorkerTrial _trial = new();
    private Window _recent;
    private Window _calm;

    /// <summary>Whether runs of which so many ended in a time can wait for each other.</summary>
    public static bool AreShort(int workers, long endedRuns, TimeSpan time) =>
        time * workers <= s_longestRun * endedRuns;

    /// <summary>
    /// What a tick of the monitor saw, and how many threads that asks for; -1: one has nothing to do that the others
    /// would not do as well.
    /// </summary>
    public int Decide(int workers, int waiting, long ended, TimeSpan sinceLastTick)
    {
        if (waiting > 0 || ended >= (long)BusyRunsPerWorker * workers)
        {
            _step = 1;
            _ticksWithoutEnd = 0;
            _usedBeforeIsKnown = false;
            return DecideByLoad(workers, ended, sinceLastTick);
        }

        _recent = _calm = default;
        _trial.Abandon();
        _ticksWithoutEnd = ended == 0 ? _ticksWithoutEnd + 1 : 0;
        if (workers >= processors && IsComputing(sinceLastTick))
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

    /// <summary>
    /// Nobody is held. By the processor time that the process used: that a thread is never found waiting may only mean
    /// that others have the processors, and another thread would not change that.
    /// </summary>
    private int DecideByLoad(int workers, long ended, TimeSpan sinceLastTick)
    {
        bool isGrowthDue = _recent.Add(sinceLastTick, ended) >= TicksOfGrowth;
        bool isCalm = _calm.Add(sinceLastTick, ended) >= TicksOfCalm;
        if (!isGrowthDue && !isCalm)
        {
            return 0;
        }

        TimeSpan used = _processorTime();
        int wanted = 0;
        if (isGrowthDue)
        {
            wanted = DecideByRecent(workers, _recent.ShareOf(used) >= FullShare * workers);
            _recent = new Window(used);
        }

        if (isCalm)
        {
            bool isIdle = workers > 1 && _calm.ShareOf(used) <= IdleShare * (workers - 1);
            wanted = isIdle ? -1 : wanted;
            _calm = new Window(used);
        }

        return wanted;
    }

    private int DecideByRecent(int workers, bool isFull)
    {
        if (_trial.IsUnderWay)
        {
            return _trial.HasFailed(_recent.Rate) ? -1 : 0;
        }

        if (!isFull || workers >= processors || !_trial.MayBegin())
        {
            return 0;
        }

        if (_recent.HadShortRuns(workers))
        {
            // Long ones would wait for each other behind one full thread, even where no more of them end by two.
            _trial.Begin(_recent.Rate);
        }

        return 1;
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

    /// <summary>Ticks in a row in which nobody was held, and the processor time at their beginning.</summary>
    private struct Window(TimeSpan usedBefore)
    {
        private readonly bool _isKnown = true;
        private int _ticks;
        private long _ended;
        private TimeSpan _length;

        /// <summary>Runs that ended in a second.</summary>
        public readonly double Rate => _ended / _length.TotalSeconds;

        public int Add(TimeSpan tick, long ended)
        {
            _length += tick;
            _ended += ended;
            return ++_ticks;
        }

        /// <summary>Processors that were used, as far as that is known: not by the first window.</summary>
        public readonly double ShareOf(TimeSpan used) => _isKnown ? (used - usedBefore) / _length : double.NaN;

        public readonly bool HadShortRuns(int workers) => AreShort(workers, _ended, _length);
    }
}
