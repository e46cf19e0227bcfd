using System.Runtime.Versioning;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>One thread that waits on the shared set and serves what it gets.</summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollWorker(EpollTransport transport, bool isSurplus)
{
    private const int Forever = -1;
    private const int SurplusPatienceMilliseconds = 1000;

    private readonly EpollBatch _batch = new();
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

    /// <summary>An application keeps this thread: what it has fetched besides goes to others. The monitor's.</summary>
    public void GiveBackBatch() => _batch.GiveBack(transport.Targets);

    private void Run()
    {
        Span<byte> memory = stackalloc byte[EpollBatch.MaxSize * EpollSet.SizeOfEvent];
        bool retired = false;
        InlineRunSlot slot = InlineRuns.RegisterThread();

        // A slot is reused: what ended in it before this thread is not this thread's work.
        _endedRuns = slot.EndedRuns;
        _slot = slot;
        while (!retired)
        {
            try
            {
                _isWaiting = true;
                int count = transport.Set.Wait(memory[..(transport.BatchSize * EpollSet.SizeOfEvent)], _patience);
                _isWaiting = false;
                if (count > 0 && !TryServe(memory, count))
                {
                    break;
                }

                retired = isSurplus && (count == 0 || transport.HasSurplus) && transport.TryRetire(this);
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

    /// <summary>False: the transport stops, and all else that was fetched is served.</summary>
    private bool TryServe(ReadOnlySpan<byte> fetched, int count)
    {
        if (count > 1)
        {
            _batch.Fill(fetched, count);
        }

        bool goesOn = true;
        EpollEvent next = EpollSet.EventAt(fetched, 0);
        do
        {
            if (next.Token == EpollSet.WakeToken)
            {
                goesOn = false;
            }
            else
            {
                Serve(next);
            }
        }
        while (count > 1 && _batch.TryTake(out next));

        return goesOn;
    }

    private void Serve(EpollEvent next)
    {
        try
        {
            transport.Targets.Find(next.Token)?.OnEvents(next.Events);
        }
        catch (Exception exception)
        {
            // A thread that ended here would take its share of all connections with it.
            transport.OnWorkerFailed(exception);
        }
    }
}
