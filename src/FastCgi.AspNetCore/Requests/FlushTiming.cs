using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The reasons to hold back the flushed bytes of a response.</summary>
[Flags]
internal enum FlushHold
{
    /// <summary>None: a flush leaves at once.</summary>
    Free = 0,

    /// <summary>
    /// The application runs on the thread that received the request, and its flushes leave together. Or the last flush
    /// waits for the end of the response, at most until the next tick of the monitor.
    /// </summary>
    Run = 1,

    /// <summary>The request body is still arriving, and its sender would stop when it sees the head.</summary>
    Upload = 2,
}

/// <summary>The events of a <see cref="FlushTiming"/>, the rows of its table.</summary>
internal enum FlushEvent
{
    BeginRun,
    EndRun,
    BeginUpload,
    EndUpload,
    Flush,
    Reset,
}

/// <summary>Decides when the bytes of a response leave. Guarded by the lock of <see cref="ResponseRecords"/>.</summary>
/// <remarks>The table of its transitions is in docs/architecture.md.</remarks>
internal struct FlushTiming
{
    private object? _upload;
    private bool _isWhole;

    public FlushHold Hold { get; private set; }

    /// <summary>The number of the latest run, which may have ended. May be read without the lock.</summary>
    public int Run { get; private set; }

    /// <summary>True if flushed bytes have not left yet.</summary>
    public bool IsPending { get; private set; }

    /// <summary>True if flushed bytes are to leave now.</summary>
    public readonly bool IsDue => IsPending && Hold == FlushHold.Free;

    /// <summary>True if a flush is due, but only the end of the response follows, so it should wait for that.</summary>
    public readonly bool ShouldAwaitEnd => IsDue && _isWhole;

    public readonly bool IsHeldByUpload => (Hold & FlushHold.Upload) != 0;

    /// <summary>Begins a run on the receiving thread, or the last flush's wait for the end of the response.</summary>
    /// <returns>The number of the run: the response may be another one when the run ends.</returns>
    public int BeginRun()
    {
        Count(FlushEvent.BeginRun);
        Hold |= FlushHold.Run;
        return ++Run;
    }

    /// <summary>Ends a run. False if another run or another response has begun since.</summary>
    public bool TryEndRun(int run)
    {
        if (run != Run)
        {
            return false;
        }

        BreakRun();
        return true;
    }

    /// <summary>Ends the hold of a run that keeps its thread.</summary>
    public void BreakRun()
    {
        Count(FlushEvent.EndRun);
        Hold &= ~FlushHold.Run;
    }

    /// <summary>Holds the flushes until the end of <paramref name="hold"/>.</summary>
    public void BeginUpload(object hold)
    {
        Count(FlushEvent.BeginUpload);
        _upload = hold;
        Hold |= FlushHold.Upload;
    }

    /// <summary>Ends a hold. False if it is not in force.</summary>
    public bool TryEndUpload(object hold)
    {
        if (_upload != hold)
        {
            return false;
        }

        ForgetUpload();
        return true;
    }

    /// <summary>Ends the hold of an upload, because the response ends.</summary>
    public void ForgetUpload()
    {
        Count(FlushEvent.EndUpload);
        _upload = null;
        Hold &= ~FlushHold.Upload;
    }

    /// <param name="isWhole">True if only the end of the response is still to come.</param>
    public void Flush(bool isWhole)
    {
        Count(FlushEvent.Flush);
        IsPending = true;
        _isWhole = isWhole;
    }

    /// <summary>Ends the wait: the flushed bytes have left, or never will.</summary>
    public void Leave() => IsPending = false;

    /// <summary>Begins another response. Runs of the last one no longer count.</summary>
    public void Reset()
    {
        Count(FlushEvent.Reset);
        _upload = null;
        Hold = FlushHold.Free;
        IsPending = false;
        Run++;
    }

    private readonly void Count(FlushEvent happened) =>
        Probe.Count(StateTable.Hold, (int)Hold, (int)happened);
}
