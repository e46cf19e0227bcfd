namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// The pauses between failed accepts: 10 ms, doubled up to 100 ms. They are reset when no peer waits any more.
/// </summary>
internal sealed class AcceptBackoff(TimeProvider timeProvider)
{
    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(100);

    private TimeSpan _next = First;

    /// <summary>No accept has failed since the last reset: the next failure is logged.</summary>
    public bool BeginsBurst { get; private set; } = true;

    public async Task WaitAsync(CancellationToken stopping)
    {
        BeginsBurst = false;
        TimeSpan pause = _next;
        _next = pause * 2 < Longest ? pause * 2 : Longest;
        await Task.Delay(pause, timeProvider, stopping)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>There is room again: the next pause is short, even in the same burst.</summary>
    public void OnRoom() => _next = First;

    /// <summary>True: it ends a burst of failures.</summary>
    public bool Reset()
    {
        bool ended = !BeginsBurst;
        BeginsBurst = true;
        _next = First;
        return ended;
    }
}
