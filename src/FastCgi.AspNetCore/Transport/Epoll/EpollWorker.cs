using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>One thread that waits on the shared set and serves the events that it gets.</summary>
[SupportedOSPlatform("linux")]
internal sealed partial class EpollWorker(
    WorkerCrew crew, EpollSet set, EventPolling polling, EpollTargets targets, ILogger logger) : IWorker
{
    private const int Forever = -1;
    private const int SurplusPatienceMilliseconds = 1000;

    private readonly EpollBatch _batch = new();

    // Written by the thread itself, read by the monitor. Even while the thread waits.
    private long _turn;
    private volatile InlineRunSlot? _slot;
    private volatile ThreadStateFile? _state;
    private long _endedBefore;

    public bool IsSurplus { get; init; }

    public bool OnlyReads { get; init; }

    public bool IsWaiting => (Volatile.Read(ref _turn) & 1) == 0;

    public long Progress => Volatile.Read(ref _turn) + (_slot?.Version ?? 0);

    public long EndedRuns => _slot is { } slot ? slot.EndedRuns - _endedBefore : 0;

    /// <summary>Throws <see cref="OutOfMemoryException"/> if the system cannot create a thread.</summary>
    public void Start()
    {
        var thread = new Thread(Run) { IsBackground = true, Name = "FastCGI epoll" };

        // Without the caller's execution context, which every request would see.
        thread.UnsafeStart();
    }

    public bool IsRunnable() => _state?.IsRunnable() == true;

    public void GiveBackBatch() => _batch.GiveBack(targets);

    [LoggerMessage(LogEvents.WorkerFailed, LogLevel.Error,
        "A thread of the transport met an exception and goes on.")]
    private static partial void WorkerFailed(ILogger logger, Exception exception);

    private void Run()
    {
        Span<byte> memory = stackalloc byte[EpollBatch.MaxSize * EpollSet.SizeOfEvent];
        int patience = IsSurplus ? SurplusPatienceMilliseconds : Forever;
        bool retired = false;
        InlineRuns.OnlyReads = OnlyReads;
        InlineRunSlot slot = InlineRuns.RegisterThread();

        // Slots are reused: earlier runs in this slot belong to another thread.
        _endedBefore = slot.EndedRuns;
        _slot = slot;
        _state = ThreadStateFile.OfThisThread();
        while (!retired)
        {
            try
            {
                int size = EpollBatch.SizeFor(crew.RunsAreShort) * EpollSet.SizeOfEvent;
                // 1. Wait: one thread gets the event.
                int count = crew.Count == 1
                    ? polling.Wait(memory[..size], patience, slot.EndedRuns)
                    : set.Wait(memory[..size], patience);
                Volatile.Write(ref _turn, _turn + 1);
                if (count > 0 && !TryServe(memory, count))
                {
                    break;
                }

                retired = IsSurplus && (count == 0 || crew.HasSurplus) && crew.TryRetire(this);
            }
            catch (Exception exception)
            {
                // If a thread ended here, the connections that it serves would hang.
                WorkerFailed(logger, exception);
            }

            // Ends the turn, even if a wait failed before the turn began.
            Volatile.Write(ref _turn, (_turn + 1) & ~1L);
        }

        _slot = null;
        if (!retired)
        {
            crew.OnStopped(this);
        }
    }

    /// <summary>False if the transport stops. All other fetched events are served.</summary>
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
            targets.Find(next.Token)?.OnEvents(next.Events);
        }
        catch (Exception exception)
        {
            // If a thread ended here, the connections that it serves would hang.
            WorkerFailed(logger, exception);
        }
    }
}

/// <summary>
/// Events that one thread has fetched with one wait and answers one by one. If an application keeps that thread, the
/// monitor gives the rest back to the set, so that no request waits for the application of another one.
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

    /// <summary>Stores the fetched events except the first, which the thread answers at once.</summary>
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

    /// <summary>Lets the set report the unanswered events again, to any waiting thread.</summary>
    public void GiveBack(EpollTargets targets)
    {
        while (TryTake(out EpollEvent left))
        {
            targets.Find(left.Token)?.Rearm();
        }
    }
}

/// <summary>The state of one thread, as Linux reports it (proc(5), <c>/proc/pid/task/tid/stat</c>).</summary>
[SupportedOSPlatform("linux")]
internal sealed class ThreadStateFile
{
    private const string ThisThread = "/proc/thread-self";
    private const char Runnable = 'R';

    private readonly string _path;

    private ThreadStateFile(string path) => _path = path;

    /// <summary>Null if the system does not report it.</summary>
    public static ThreadStateFile? OfThisThread()
    {
        try
        {
            return File.ResolveLinkTarget(ThisThread, returnFinalTarget: false) is { } link
                ? new ThreadStateFile(Path.Combine(link.FullName, "stat"))
                : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>
    /// True if the thread has a processor or waits for one. False if it waits for something else, has ended or is
    /// unknown.
    /// </summary>
    public bool IsRunnable()
    {
        // "number (name) state ...", where the name may contain any bytes.
        Span<byte> text = stackalloc byte[128];
        try
        {
            using var file = File.OpenHandle(_path);
            text = text[..RandomAccess.Read(file, text, fileOffset: 0)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }

        int end = text.LastIndexOf((byte)')');
        return end >= 0 && end + 2 < text.Length && text[end + 2] == Runnable;
    }
}
