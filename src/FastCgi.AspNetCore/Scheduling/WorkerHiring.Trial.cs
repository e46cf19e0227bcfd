namespace FastCgi.AspNetCore.Scheduling;

internal sealed partial class WorkerHiring
{
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

        /// <summary>
        /// Asked once in each window that wants another thread: false while the last failure is recent.
        /// </summary>
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
