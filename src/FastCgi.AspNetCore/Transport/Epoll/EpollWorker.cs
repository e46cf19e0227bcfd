using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>One thread that waits on the shared set and serves what it gets.</summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollWorker(EpollTransport transport, bool isSurplus)
{
    private const int Forever = -1;
    private const int SurplusPatienceMilliseconds = 1000;

    private readonly int _patience = isSurplus ? SurplusPatienceMilliseconds : Forever;
    private volatile InlineRunSlot? _slot;
    private volatile bool _isWaiting = true;
    private long _endedRuns;

    /// <summary>Free to take an event; a thread that has not begun yet counts as free.</summary>
    public bool IsWaiting => _isWaiting;

    public void Start()
    {
        var thread = new Thread(Run) { IsBackground = true, Name = "FastCGI epoll" };

        // Without the starter's execution context: it would be seen by every request.
        thread.UnsafeStart();
    }

    /// <summary>The runs that ended since the last call. The monitor's.</summary>
    public long TakeEndedRuns()
    {
        long ended = _slot?.EndedRuns ?? 0;
        long since = ended - _endedRuns;
        _endedRuns = ended;
        return since;
    }

    private unsafe void Run()
    {
        byte* memory = stackalloc byte[EpollSet.SizeOfEvent];
        bool retired = false;
        InlineRunSlot slot = InlineRuns.RegisterThread();

        // A slot is reused: what ended in it before this thread is not this thread's work.
        _endedRuns = slot.EndedRuns;
        _slot = slot;
        while (true)
        {
            try
            {
                _isWaiting = true;
                bool isReady = transport.Set.TryWait(memory, _patience, out EpollEvents events, out ulong token);
                _isWaiting = false;
                if (!isReady)
                {
                    if (isSurplus && transport.TryRetire(this))
                    {
                        retired = true;
                        break;
                    }

                    continue;
                }

                if (token == EpollSet.WakeToken)
                {
                    break;
                }

                transport.Targets.Find(token)?.OnEvents(events);
                if (isSurplus && transport.HasSurplus && transport.TryRetire(this))
                {
                    retired = true;
                    break;
                }
            }
            catch (Exception exception)
            {
                // A thread that ended here would take its share of all connections with it.
                transport.OnWorkerFailed(exception);
            }
        }

        _slot = null;
        InlineRuns.ReleaseThread();
        if (!retired)
        {
            transport.OnWorkerStopped(this);
        }
    }
}
