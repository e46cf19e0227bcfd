namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Lets the only thread of a transport poll for the next event for a fraction of a millisecond before it sleeps: a
/// wake-up takes longer than a small request. This pays with one or two connections. With more, it keeps events from
/// being fetched together; beside busy processes it costs the thread its turn. So polling is tested: it continues while
/// it completes more requests in the same time, and otherwise pauses for a while.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EventPolling(IEventSource source, int processors, TimeProvider time)
{
    /// <summary>The number of waits for which requests are counted, first without polling and then with it.</summary>
    public const int Window = 128;

    /// <summary>The number of windows after which polling is compared with sleeping again.</summary>
    public const int WindowsUntilNextTrial = 16;

    /// <summary>The shortest pause between two trials, in waits. It doubles until polling pays again.</summary>
    public const int ShortestPause = 8 * Window;

    public const int LongestPause = 512 * Window;

    /// <summary>The number of consecutive polls without an event that ends the polling.</summary>
    public const int MostInVain = 3;

    private const double LeastGain = 1.1;

    /// <summary>The longest time to poll for one event.</summary>
    public static readonly TimeSpan LongestLook = TimeSpan.FromMicroseconds(150);

    /// <summary>The longest time between requests, without polling, for which polling is tested.</summary>
    public static readonly TimeSpan FarthestApart = 2 * LongestLook;

    /// <summary>Limit between two calls. Beyond it another thread has the processor and keeps it for a while.</summary>
    public static readonly TimeSpan LongestGap = TimeSpan.FromMicroseconds(300);

    private readonly double _leastRate = 1 / (FarthestApart.TotalSeconds * time.TimestampFrequency);

    // With one processor, a polling thread would keep the sender of the next event from running.
    private readonly bool _isPossible = processors > 1;

    // Of the waiting thread; the monitor also reads the time. Rates are in requests per clock tick.
    private Phase _phase;
    private int _left;
    private int _pause = ShortestPause;
    private int _inVain;
    private long _began;
    private long _endedBefore;
    private double _rateWithout;
    private long _timeLooked;

    private enum Phase
    {
        /// <summary>Polling has not paid recently.</summary>
        Paused,

        /// <summary>Requests are counted without polling.</summary>
        Without,

        /// <summary>Requests are counted with polling.</summary>
        Trial,

        /// <summary>Polling pays.</summary>
        Looking,
    }

    /// <summary>True if the thread polls before it sleeps.</summary>
    public bool Looks => _phase >= Phase.Trial;

    /// <summary>The time spent on polling, which other threads could have used.</summary>
    public TimeSpan TimeLooked => time.GetElapsedTime(0, Volatile.Read(ref _timeLooked));

    /// <summary>Waits for events, as <see cref="EpollSet.Wait(Span{byte}, int)"/> does.</summary>
    public int Wait(Span<byte> memory, int timeoutMilliseconds, long ended)
    {
        if (_isPossible)
        {
            if (_left == 0)
            {
                BeginWindow(ended);
            }

            _left--;
            if (Looks && TryLook(memory, out int count))
            {
                return count;
            }
        }

        return source.Wait(memory, timeoutMilliseconds);
    }

    private void BeginWindow(long ended)
    {
        long now = time.GetTimestamp();
        double rate = (ended - _endedBefore) / (double)Math.Max(now - _began, 1);
        switch (_phase)
        {
            case Phase.Paused:
            case Phase.Looking:
                Begin(Phase.Without, Window);
                break;

            case Phase.Without when rate < _leastRate:
                // Requests are too far apart for polling to find the next one.
                Pause(ShortestPause);
                break;

            case Phase.Without:
                _rateWithout = rate;
                Begin(Phase.Trial, Window);
                break;

            case Phase.Trial when rate < LeastGain * _rateWithout:
                PauseLonger();
                break;

            case Phase.Trial:
                _pause = ShortestPause;
                Begin(Phase.Looking, WindowsUntilNextTrial * Window);
                break;
        }

        _began = now;
        _endedBefore = ended;
    }

    private bool TryLook(Span<byte> memory, out int count)
    {
        count = source.Wait(memory, 0);
        if (count > 0)
        {
            return true;
        }

        long began = time.GetTimestamp();
        long now = began;
        long last;
        do
        {
            // The sender of the next event may be waiting for this processor.
            Thread.Yield();
            count = source.Wait(memory, 0);
            last = now;
            now = time.GetTimestamp();
        }
        while (count == 0
            && time.GetElapsedTime(last, now) < LongestGap && time.GetElapsedTime(began, now) < LongestLook);

        Volatile.Write(ref _timeLooked, _timeLooked + (now - began));
        if (time.GetElapsedTime(last, now) >= LongestGap)
        {
            PauseLonger();
        }
        else if (count > 0)
        {
            _inVain = 0;
        }
        else if (++_inVain == MostInVain)
        {
            Pause(ShortestPause);
        }

        return count > 0;
    }

    private void PauseLonger()
    {
        Pause(_pause);
        _pause = Math.Min(2 * _pause, LongestPause);
    }

    private void Pause(int waits)
    {
        _inVain = 0;
        Begin(Phase.Paused, waits);
    }

    private void Begin(Phase phase, int waits)
    {
        _phase = phase;
        _left = waits;
    }
}
