namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Has the only thread of a transport look for the next event again and again, for a fraction of a millisecond, before
/// it sleeps: to be woken takes longer than a small request does. That pays with one connection or two. With more it
/// keeps events from being fetched together, and beside busy processes it costs the thread its turn. So it is tried:
/// looking goes on while it ends more requests in the same time, and is given up for a while where it does not.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EventPolling(IEventSource source, int processors, TimeProvider time)
{
    /// <summary>The waits whose requests are counted, without looking and then with it.</summary>
    public const int Window = 128;

    /// <summary>The windows after which looking is tried against not looking again.</summary>
    public const int WindowsUntilNextTrial = 16;

    /// <summary>The pauses between two trials, in waits: each is twice as long until looking pays again.</summary>
    public const int ShortestPause = 8 * Window;

    public const int LongestPause = 512 * Window;

    /// <summary>A look without an event is in vain. So many in a row end the looking.</summary>
    public const int MostInVain = 3;

    private const double LeastGain = 1.1;

    /// <summary>How long a thread looks for one event.</summary>
    public static readonly TimeSpan LongestLook = TimeSpan.FromMicroseconds(150);

    /// <summary>How far apart requests are, without looking, for which it is tried.</summary>
    public static readonly TimeSpan FarthestApart = 2 * LongestLook;

    /// <summary>Between two looks: the processor was another thread's, which does not give it back soon.</summary>
    public static readonly TimeSpan LongestGap = TimeSpan.FromMicroseconds(300);

    private readonly long _longestLook = (long)(LongestLook.TotalSeconds * time.TimestampFrequency);
    private readonly long _longestGap = (long)(LongestGap.TotalSeconds * time.TimestampFrequency);
    private readonly double _leastRate = 1 / (FarthestApart.TotalSeconds * time.TimestampFrequency);

    // With one processor a thread that looks keeps out the sender of the next event.
    private readonly bool _isPossible = processors > 1;

    // Of the thread that waits; the time is also read by the monitor. Rates are in requests for each tick of the clock.
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
        /// <summary>Looking has not paid lately.</summary>
        Paused,

        /// <summary>Requests are counted without looking.</summary>
        Without,

        /// <summary>Requests are counted with looking.</summary>
        Trial,

        /// <summary>Looking pays.</summary>
        Looking,
    }

    /// <summary>The thread looks before it sleeps.</summary>
    public bool Looks => _phase >= Phase.Trial;

    /// <summary>The time that went by with looks, which others could have had.</summary>
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
                // Requests are too far apart for a look to find the next.
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
            // The sender of the next event may wait for this very processor.
            Thread.Yield();
            count = source.Wait(memory, 0);
            last = now;
            now = time.GetTimestamp();
        }
        while (count == 0 && now - last < _longestGap && now - began < _longestLook);

        Volatile.Write(ref _timeLooked, _timeLooked + (now - began));
        if (now - last >= _longestGap)
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
