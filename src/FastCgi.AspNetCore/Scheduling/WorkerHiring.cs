namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// The second rule of <see cref="WorkerGrowth"/>: threads are hired by the load on those that are not held. One thread
/// is best while it keeps up, because no event then wakes another. If short waits in handlers keep all threads busy,
/// their number doubles at each tick. If short requests fill them, it grows up to the number of processors.
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
    /// The longest average run for which fetching several events at once pays. The last event of a batch waits for
    /// seven runs, and waking another thread for it takes as long.
    /// </summary>
    private static readonly TimeSpan s_longestRun = TimeSpan.FromMicroseconds(100);

    private readonly Trial _trial = new();
    private int _step = 1;
    private Window _recent;
    private Window _calm;

    /// <summary>True if runs are so short that they can wait for each other.</summary>
    public static bool AreShort(int workers, long endedRuns, TimeSpan time) =>
        workers > 0 && time * workers <= s_longestRun * endedRuns;

    /// <summary>The number of threads to add in this tick; -1 to release one.</summary>
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
            // Either no free thread is left to measure, or the busy ones compute.
            _step = 1;
            return 0;
        }

        int wanted = _step;
        _step = Math.Min(_step * 2, MaxStep);
        return wanted;
    }

    /// <summary>
    /// Decides when runs end quickly, by the processor time of the process. A thread that never waits may only mean
    /// that other processes use the processors; another thread would not change that.
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
            // Long runs would wait for each other on one full thread, even if two threads complete no more of them.
            _trial.Begin(_recent.Rate);
        }

        return 1;
    }

    /// <summary>Consecutive ticks in which runs ended quickly, and the processor time at their start.</summary>
    private struct Window(TimeSpan usedBefore)
    {
        private readonly bool _isKnown = true;
        private int _ticks;
        private long _ended;
        private TimeSpan _length;

        /// <summary>Runs that ended per second.</summary>
        public readonly double Rate => _ended / _length.TotalSeconds;

        public int Add(TimeSpan tick, long ended)
        {
            _length += tick;
            _ended += ended;
            return ++_ticks;
        }

        /// <summary>The processors in use; NaN in the first window, whose start is unknown.</summary>
        public readonly double ShareOf(TimeSpan used) => _isKnown ? (used - usedBefore) / _length : double.NaN;

        public readonly bool HadShortRuns(int workers) => AreShort(workers, _ended, _length);
    }

    /// <summary>
    /// Tests whether another thread completes more requests. If other processes use the remaining processors, it does
    /// not, and only costs context switches. Then it leaves again, and the next trial comes later. The rates are those
    /// of consecutive windows of a tenth of a second.
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

        /// <summary>True if a thread was added and is not evaluated yet.</summary>
        public bool IsUnderWay => _windowsLeft > 0;

        /// <summary>Called once in a window that wants another thread. False if the last failure is recent.</summary>
        public bool MayBegin()
        {
            if (_pause > 0)
            {
                _pause--;
                return false;
            }

            return true;
        }

        /// <summary>Begins a trial with a new thread. <paramref name="rate"/> is the rate without it.</summary>
        public void Begin(double rate)
        {
            _rateBefore = rate;
            _windowsLeft = WindowsUntilJudged;
        }

        /// <summary>Handles another window of the trial. True if the new thread is not worth its cost.</summary>
        public bool HasFailed(double rate)
        {
            if (--_windowsLeft > 0)
            {
                // The thread was added in the middle of this window.
                return false;
            }

            bool failed = rate < _rateBefore * LeastGain;
            _pause = failed ? _nextPause : 0;
            _nextPause = failed ? Math.Min(_nextPause * 2, LongestPause) : FirstPause;
            return failed;
        }

        /// <summary>Ends the trial: another change of the number of threads makes the rates incomparable.</summary>
        public void Abandon() => _windowsLeft = 0;
    }
}
