namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// The second rule of <see cref="WorkerGrowth"/>: threads are hired by the load on those that are not held. One is best
/// while it keeps up, since each event then wakes no other. More come if short waits in handlers keep all of them busy,
/// twice as many at each tick, or if short requests fill them, up to the number of processors.
/// </summary>
internal sealed class WorkerHiring(ProcessorUse use)
{
    private const int BusyRunsPerWorker = 4;
    private const int MaxStep = 64;
    private const int TicksOfGrowth = 20;
    private const int TicksOfCalm = 200;
    private const double FullShare = 0.8;
    private const double IdleShare = 0.6;

    /// <summary>
    /// The longest average run for which fetching several events together pays: the last of a batch waits for seven
    /// runs, and waking another thread for it takes as long.
    /// </summary>
    private static readonly TimeSpan s_longestRun = TimeSpan.FromMicroseconds(100);

    private readonly Trial _trial = new();
    private int _step = 1;
    private Window _recent;
    private Window _calm;

    /// <summary>Whether runs are so short that they can wait for each other.</summary>
    public static bool AreShort(int workers, long endedRuns, TimeSpan time) =>
        workers > 0 && time * workers <= s_longestRun * endedRuns;

    /// <summary>How many threads to add in this tick; -1: one is not needed.</summary>
    public int Decide(int workers, int free, int waiting, long ended, TimeSpan sinceLastTick)
    {
        if (free > 0 && (waiting > 0 || ended >= (long)BusyRunsPerWorker * free))
        {
            _step = 1;
            return DecideByLoad(free, ended, sinceLastTick);
        }

        _recent = _calm = default;
        _trial.Abandon();
        if (free == 0 || (workers >= use.Processors && use.IsFull()))
        {
            // No thread is left to judge by, or those that are busy compute.
            _step = 1;
            return 0;
        }

        int wanted = _step;
        _step = Math.Min(_step * 2, MaxStep);
        return wanted;
    }

    /// <summary>
    /// Runs end quickly. The processor time of the process decides: a thread that never waits may only mean that other
    /// processes have the processors, and another thread would not change that.
    /// </summary>
    private int DecideByLoad(int free, long ended, TimeSpan sinceLastTick)
    {
        bool isGrowthDue = _recent.Add(sinceLastTick, ended) >= TicksOfGrowth;
        bool isCalm = _calm.Add(sinceLastTick, ended) >= TicksOfCalm;
        if (!isGrowthDue && !isCalm)
        {
            return 0;
        }

        TimeSpan used = use.Total;
        int wanted = 0;
        if (isGrowthDue)
        {
            wanted = DecideByRecent(free, _recent.ShareOf(used) >= FullShare * free);
            _recent = new Window(used);
        }

        if (isCalm)
        {
            bool isIdle = free > 1 && _calm.ShareOf(used) <= IdleShare * (free - 1);
            wanted = isIdle ? -1 : wanted;
            _calm = new Window(used);
        }

        return wanted;
    }

    private int DecideByRecent(int free, bool isFull)
    {
        if (_trial.IsUnderWay)
        {
            return _trial.HasFailed(_recent.Rate) ? -1 : 0;
        }

        if (!isFull || free >= use.Processors || !_trial.MayBegin())
        {
            return 0;
        }

        if (_recent.HadShortRuns(free))
        {
            // Long runs would wait for each other behind one full thread, even if two threads end no more of them.
            _trial.Begin(_recent.Rate);
        }

        return 1;
    }

    /// <summary>Ticks in a row in which runs ended quickly, and the processor time at their beginning.</summary>
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

        /// <summary>The processors in use; not a number in the first window, whose beginning is not known.</summary>
        public readonly double ShareOf(TimeSpan used) => _isKnown ? (used - usedBefore) / _length : double.NaN;

        public readonly bool HadShortRuns(int workers) => AreShort(workers, _ended, _length);
    }

    /// <summary>
    /// Tries whether another thread lets more requests end. If other processes have the remaining processors, it does
    /// not, and only costs switches between the two. It leaves again then, and the next trial comes later. The rates
    /// are those of consecutive windows of a tenth of a second.
    /// </summary>
    private sealed class Trial
    {
        private const double LeastGain = 1.1;
        private const int WindowsUntilJudged = 2;
        private const int FirstPause = 20;
        private const int LongestPause = 600;

        private double _rateBefore;
        private int _windowsLeft;
        private int _pause;
        private int _nextPause = FirstPause;

        /// <summary>A thread was added and is not judged yet.</summary>
        public bool IsUnderWay => _windowsLeft > 0;

        /// <summary>Asked once in a window that wants another thread. False: the last failure is recent.</summary>
        public bool MayBegin()
        {
            if (_pause > 0)
            {
                _pause--;
                return false;
            }

            return true;
        }

        /// <summary>A thread is added, and so many runs a second ended without it.</summary>
        public void Begin(double rate)
        {
            _rateBefore = rate;
            _windowsLeft = WindowsUntilJudged;
        }

        /// <summary>Another window of a trial that is under way. True: the thread is not worth its cost.</summary>
        public bool HasFailed(double rate)
        {
            if (--_windowsLeft > 0)
            {
                // The thread came in the middle of it.
                return false;
            }

            bool failed = rate < _rateBefore * LeastGain;
            _pause = failed ? _nextPause : 0;
            _nextPause = failed ? Math.Min(_nextPause * 2, LongestPause) : FirstPause;
            return failed;
        }

        /// <summary>Something else changed the number of threads, so nothing can be compared.</summary>
        public void Abandon() => _windowsLeft = 0;
    }
}
