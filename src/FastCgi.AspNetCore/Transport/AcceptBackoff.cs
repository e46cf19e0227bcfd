namespace FastCgi.AspNetCore.Transport;

/// <summary>The pauses between failed accepts: 100 ms, doubled up to a second. A success resets them.</summary>
internal sealed class AcceptBackoff(TimeProvider timeProvider)
{
    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private TimeSpan _next = First;

    /// <summary>No accept has failed since the last success: the next failure is logged.</summary>
    public bool BeginsBurst { get; private set; } = true;

    /// <summary>Waits the next pause, or returns early when the listener stops.</summary>
    public async Task WaitAsync(CancellationToken stopping)
    {
        BeginsBurst = false;
        TimeSpan pause = _next;
        _next = pause * 2 < Longest ? pause * 2 : Longest;
        await Task.Delay(pause, timeProvider, stopping)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>An accept succeeded. True: it ended a burst of failures.</summary>
    public bool Reset()
    {
        bool ended = !BeginsBurst;
        BeginsBurst = true;
        _next = First;
        return ended;
    }
}
