using System.Runtime.CompilerServices;

namespace HelloSample;

/// <summary>Counts once a second for as long as somebody listens.</summary>
internal sealed class Counter(TimeProvider time, IHostApplicationLifetime lifetime, ILogger<Counter> log)
{
    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(1);

    public async IAsyncEnumerable<int> CountAsync([EnumeratorCancellation] CancellationToken aborted)
    {
        // An endless answer would hold a stopping application back until its time-out.
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(aborted, lifetime.ApplicationStopping);
        using var timer = new PeriodicTimer(_interval, time);

        for (var count = 1; !ended.IsCancellationRequested; count++)
        {
            yield return count;
            if (!await WaitAsync(timer, ended.Token))
            {
                log.ListenerLeft(count);
                yield break;
            }
        }
    }

    /// <returns>False when the listener left or the application stops: the expected end of the stream.</returns>
    private static async ValueTask<bool> WaitAsync(PeriodicTimer timer, CancellationToken ended)
    {
        try
        {
            return await timer.WaitForNextTickAsync(ended);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}
