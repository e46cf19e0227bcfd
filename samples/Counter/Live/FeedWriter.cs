using System.Diagnostics;

namespace CounterSample.Live;

/// <summary>Takes a reading each second.</summary>
internal sealed class FeedWriter(Feed feed, TimeProvider time) : BackgroundService
{
    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(1);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var process = Process.GetCurrentProcess();
        using var timer = new PeriodicTimer(_interval, time);
        var (used, at) = (process.TotalProcessorTime, time.GetTimestamp());
        do
        {
            process.Refresh();
            var (usedNow, now) = (process.TotalProcessorTime, time.GetTimestamp());
            var percent = 100 * (usedNow - used) / Max(time.GetElapsedTime(at, now), TimeSpan.FromMilliseconds(1));
            feed.Add(new Reading(time.GetLocalNow(), percent, process.WorkingSet64));
            (used, at) = (usedNow, now);
        }
        while (await timer.WaitForNextTickAsync(stoppingToken));
    }

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
