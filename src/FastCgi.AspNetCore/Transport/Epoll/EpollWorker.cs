namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// A thread that waits on the shared set, one event at a time: what it took with an event could be served by nobody
/// else while an application keeps it.
/// </summary>
internal sealed class EpollWorker
{
    private const int Forever = -1;
    private const int SurplusIdleMilliseconds = 1000;

    private static readonly TimeSpan s_joinTimeout = TimeSpan.FromSeconds(1);

    private readonly EpollTransport _transport;
    private readonly EpollSet _set;
    private readonly bool _isSurplus;
    private readonly ILogger _logger;
    private readonly Thread _thread;
    private InlineRunSlot? _slot;

    public EpollWorker(EpollTransport transport, EpollSet set, bool isSurplus, ILogger logger)
    {
        _transport = transport;
        _set = set;
        _isSurplus = isSurplus;
        _logger = logger;
        _thread = new Thread(Run) { IsBackground = true, Name = "FastCGI worker" };
    }

    /// <summary>Requests that this thread has run to their end or to their first wait.</summary>
    public long Ended => _slot?.Ended ?? 0;

    public bool IsInApplication => _slot?.IsRunning ?? false;

    public void Start() => _thread.UnsafeStart();

    public bool TryJoin() => _thread == Thread.CurrentThread || _thread.Join(s_joinTimeout);

    private void Run()
    {
        _slot = InlineRuns.SlotOfThisThread;
        int timeout = _isSurplus ? SurplusIdleMilliseconds : Forever;
        while (_set.TryWait(timeout, out uint events, out ulong data) && data != EpollSet.StopData)
        {
            if (_transport.Find(data) is { } connection)
            {
                Dispatch(connection, events);
            }
        }

        _transport.OnWorkerEnded(this);
    }

    private void Dispatch(EpollConnection connection, uint events)
    {
        try
        {
            connection.OnEvent(events);
        }
        catch (Exception exception)
        {
            // A thread of the transport outlives whatever one connection does.
            EpollTransport.LogEventFailed(_logger, exception);
            connection.Close();
        }
    }
}
