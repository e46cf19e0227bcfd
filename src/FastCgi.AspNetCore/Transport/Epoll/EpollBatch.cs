using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Events that one thread has fetched by one wait and answers in turn. While an application keeps that thread, the
/// monitor gives the rest back to the set, so that no request waits for another one's application.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollBatch
{
    public const int MaxSize = 8;

    private readonly Lock _lock = new();
    private readonly EpollEvent[] _events = new EpollEvent[MaxSize];
    private int _next;
    private int _count;

    public static int SizeFor(bool runsAreShort) => runsAreShort ? MaxSize : 1;

    /// <summary>Keeps the fetched events except the first, which the thread answers at once.</summary>
    public void Fill(ReadOnlySpan<byte> fetched, int count)
    {
        lock (_lock)
        {
            for (int i = 1; i < count; i++)
            {
                _events[i] = EpollSet.EventAt(fetched, i);
            }

            _next = 1;
            _count = count;
        }
    }

    public bool TryTake(out EpollEvent next)
    {
        lock (_lock)
        {
            bool isThere = _next < _count;
            next = isThere ? _events[_next++] : default;
            return isThere;
        }
    }

    /// <summary>Has the set report the unanswered events again, to any thread that waits.</summary>
    public void GiveBack(EpollTargets targets)
    {
        while (TryTake(out EpollEvent left))
        {
            targets.Find(left.Token)?.Rearm();
        }
    }
}
