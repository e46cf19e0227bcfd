namespace FastCgi.Tool.Benchmarks;

/// <summary>One of the connections: sends requests one after the other, and keeps its own figures.</summary>
internal sealed class BenchWorker(HttpMessageInvoker invoker, RequestSettings settings, TimeProvider clock)
{
    public const string TimedOut = "No complete response within --timeout.";

    private readonly byte[] _buffer = new byte[32 * 1024];
    private long _completed;

    public LatencyHistogram Latencies { get; private set; } = new();

    public Dictionary<int, long> Statuses { get; } = [];

    public Dictionary<string, long> Failures { get; } = [];

    public long BodyBytes { get; private set; }

    /// <summary>For the progress, read while the worker runs.</summary>
    public long Completed => Volatile.Read(ref _completed);

    /// <summary>Clears the figures of the warm-up.</summary>
    public void Reset()
    {
        Latencies = new LatencyHistogram();
        Statuses.Clear();
        Failures.Clear();
        BodyBytes = 0;
        Volatile.Write(ref _completed, 0);
    }

    /// <summary>Sends requests until there are no more.</summary>
    public async Task RunAsync(BenchSchedule schedule, CancellationToken cancellationToken)
    {
        // One timer for many requests, because a new source for each would affect the figures.
        CancellationTokenSource timed = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            while (schedule.TryTake(out long begin))
            {
                long start = await WaitAsync(begin, cancellationToken);
                timed.CancelAfter(settings.Timeout);
                await SendAsync(start, timed.Token, cancellationToken);
                if (!timed.TryReset())
                {
                    timed.Dispose();
                    timed = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                }

                Volatile.Write(ref _completed, _completed + 1);
            }
        }
        finally
        {
            timed.Dispose();
        }
    }

    /// <param name="start">The start of the measured time.</param>
    /// <param name="timed">Ends the request, which then counts as a failure.</param>
    /// <param name="cancellationToken">Ends the benchmark.</param>
    private async Task SendAsync(long start, CancellationToken timed, CancellationToken cancellationToken)
    {
        try
        {
            using HttpRequestMessage request = settings.CreateRequest();
            using HttpResponseMessage response = await invoker.SendAsync(request, timed);
            await DrainAsync(response, timed);
            Latencies.Record(clock.GetElapsedTime(start));
            Count(Statuses, (int)response.StatusCode);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException)
        {
            Count(Failures, FastCgiException.Find(exception)?.Message ?? exception.Message);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            Count(Failures, TimedOut);
        }
    }

    private static void Count<TKey>(Dictionary<TKey, long> counts, TKey key)
        where TKey : notnull => counts[key] = counts.GetValueOrDefault(key) + 1;

    /// <returns>
    /// The start of the measured time: the scheduled time if that has passed, so that a stall shows; otherwise the end
    /// of the wait, because timers are late.
    /// </returns>
    private async Task<long> WaitAsync(long begin, CancellationToken cancellationToken)
    {
        long now = clock.GetTimestamp();
        if (now >= begin)
        {
            return begin;
        }

        while (now < begin)
        {
            // Task.Delay truncates to whole milliseconds, and a timer may still fire early.
            double early = clock.GetElapsedTime(now, begin).TotalMilliseconds;
            await Task.Delay(TimeSpan.FromMilliseconds(Math.Ceiling(early)), clock, cancellationToken);
            now = clock.GetTimestamp();
        }

        return now;
    }

    private async Task DrainAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        await using Stream body = await response.Content.ReadAsStreamAsync(cancellationToken);
        while (await body.ReadAsync(_buffer, cancellationToken) is > 0 and int count)
        {
            BodyBytes += count;
        }
    }
}
