using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The reasons that keep the flushed bytes of a response from leaving.</summary>
[Flags]
internal enum FlushHold
{
    /// <summary>Nothing: a flush leaves at once.</summary>
    Free = 0,

    /// <summary>
    /// The application runs on the thread that received the request: its flushes leave together. Or the last flush
    /// waits for the end of the response, until the next tick of the monitor at the latest.
    /// </summary>
    Run = 1,

    /// <summary>The request body still arrives, and its sender would stop at the sight of the head.</summary>
    Upload = 2,
}

/// <summary>The events of a <see cref="FlushTiming"/>; the rows of its table.</summary>
internal enum FlushEvent
{
    BeginRun,
    EndRun,
    BeginUpload,
    EndUpload,
    Flush,
    Reset,
}

/// <summary>When the bytes of a response leave. Guarded by the lock of <see cref="ResponseRecords"/>.</summary>
/// <remarks>The table of its transitions is in docs/architecture.md.</remarks>
internal struct FlushTiming
{
    private object? _upload;
    private bool _isWhole;

    public FlushHold Hold { get; private set; }

    /// <summary>The name of the run that began last. It may be read without the lock, and may be over.</summary>
    public int Run { get; private set; }

    /// <summary>Something was flushed and has not left.</summary>
    public bool IsPending { get; private set; }

    /// <summary>True when the flushed bytes leave now.</summary>
    public readonly bool IsDue => IsPending && Hold == FlushHold.Free;

    /// <summary>It is due, but only the end is missing behind it, so it should wait for that.</summary>
    public readonly bool ShouldAwaitEnd => IsDue && _isWhole;

    public readonly bool IsHeldByUpload => (Hold & FlushHold.Upload) != 0;

    /// <summary>A run begins on the receiving thread, or the last flush waits for the end of the response.</summary>
    /// <returns>The name of the run: the response may be another one when it ends.</returns>
    public int BeginRun()
    {
        Count(FlushEvent.BeginRun);
        Hold |= FlushHold.Run;
        return ++Run;
    }

    /// <summary>The run is unwound. False where another run, or another response, is under way by now.</summary>
    public bool TryEndRun(int run)
    {
        if (run != Run)
        {
            return false;
        }

        BreakRun();
        return true;
    }

    /// <summary>The run keeps its thread: it holds nothing back any more.</summary>
    public void BreakRun()
    {
        Count(FlushEvent.EndRun);
        Hold &= ~FlushHold.Run;
    }

    /// <summary>The upload holds the flushes until the end of <paramref name="hold"/>.</summary>
    public void BeginUpload(object hold)
    {
        Count(FlushEvent.BeginUpload);
        _upload = hold;
        Hold |= FlushHold.Upload;
    }

    /// <summary>The hold ends. False where it is not in force.</summary>
    public bool TryEndUpload(object hold)
    {
        if (_upload != hold)
        {
            return false;
        }

        ForgetUpload();
        return true;
    }

    /// <summary>The response ends, and so does the reason to wait.</summary>
    public void ForgetUpload()
    {
        Count(FlushEvent.EndUpload);
        _upload = null;
        Hold &= ~FlushHold.Upload;
    }

    /// <summary>Bytes were flushed.</summary>
    /// <param name="isWhole">Only the end of the response is missing behind them.</param>
    public void Flush(bool isWhole)
    {
        Count(FlushEvent.Flush);
        IsPending = true;
        _isWhole = isWhole;
    }

    /// <summary>Ends the wait: the flushed bytes have left, or never will.</summary>
    public void Leave() => IsPending = false;

    /// <summary>Another response begins; runs of this one are ended in vain.</summary>
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
