namespace FastCgi.AspNetCore.Transport;

/// <summary>What one thread runs now. Written by that thread alone, read by the monitor.</summary>
internal sealed class InlineRunSlot(Thread thread)
{
    private IInlineRun? _run;
    private long _begun;
    private long _ended;
    private long _begunAtLastTick = -1;

    public bool IsRunning => Volatile.Read(ref _run) is not null;

    public long Ended => Volatile.Read(ref _ended);

    public bool IsThreadAlive => thread.IsAlive;

    public void Begin(IInlineRun run)
    {
        _begun++;
        Volatile.Write(ref _run, run);
    }

    public void End()
    {
        Volatile.Write(ref _run, null);
        _ended++;
    }

    /// <summary>The run that has lasted since the tick before; null when there is none.</summary>
    public IInlineRun? TakeLasting()
    {
        IInlineRun? run = Volatile.Read(ref _run);
        long begun = Volatile.Read(ref _begun);
        bool lasts = run is not null && begun == _begunAtLastTick;
        _begunAtLastTick = run is null ? -1 : begun;
        return lasts ? run : null;
    }
}
