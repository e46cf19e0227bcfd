namespace FastCgi.Tool.Benchmarks;

/// <summary>Runs a benchmark: a warm-up, then the measurement.</summary>
internal sealed class BenchRun : IDisposable
{
    private readonly BenchPlan _plan;
    private readonly TimeProvider _clock;
    private readonly HttpMessageInvoker _invoker;
    private readonly BenchWorker[] _workers;

    public BenchRun(RequestSettings settings, BenchPlan plan, TimeProvider clock)
    {
        _plan = plan;
        _clock = clock;
        FastCgiHandlerOptions options = settings.CreateHandlerOptions();
        options.MaxConnections = plan.Connections;
        options.KeepConnection = plan.KeepConnections;
        _invoker = new HttpMessageInvoker(new FastCgiHandler(options));
        _workers = [.. Enumerable.Range(0, plan.Connections).Select(_ => new BenchWorker(_invoker, settings, clock))];
    }

    /// <summary>The number of requests that have ended, for the progress.</summary>
    public long Completed => _workers.Sum(static worker => worker.Completed);

    /// <summary>Sends one request, so that a wrong endpoint fails at once and not a million times.</summary>
    public static Task TryOneAsync(RequestSettings settings, CancellationToken cancellationToken) =>
        TimeLimit.RunAsync(
            settings.EndpointText,
            settings.Timeout,
            async token =>
            {
                using var invoker = new HttpMessageInvoker(new FastCgiHandler(settings.CreateHandlerOptions()));
                using HttpRequestMessage request = settings.CreateRequest();
                using HttpResponseMessage response = await invoker.SendAsync(request, token);
                await response.Content.CopyToAsync(Stream.Null, token);
                return response.StatusCode;
            },
            cancellationToken);

    public async Task WarmUpAsync(CancellationToken cancellationToken)
    {
        if (_plan.WarmUp > TimeSpan.Zero)
        {
            await RunAsync(new BenchSchedule(_clock, _plan.WarmUp, requests: null, _plan.Rate), cancellationToken);
            Array.ForEach(_workers, static worker => worker.Reset());
        }
    }

    public async Task<BenchResult> MeasureAsync(CancellationToken cancellationToken)
    {
        long start = _clock.GetTimestamp();
        await RunAsync(new BenchSchedule(_clock, _plan.Duration, _plan.Requests, _plan.Rate), cancellationToken);
        TimeSpan elapsed = _clock.GetElapsedTime(start);
        var latencies = new LatencyHistogram();
        Array.ForEach(_workers, worker => latencies.Add(worker.Latencies));
        return new BenchResult(
            elapsed,
            latencies,
            _workers.Sum(static worker => worker.BodyBytes),
            Sum(static worker => worker.Statuses),
            Sum(static worker => worker.Failures));
    }

    public void Dispose() => _invoker.Dispose();

    private Task RunAsync(BenchSchedule schedule, CancellationToken cancellationToken) =>
        Task.WhenAll(
            _workers.Select(worker => Task.Run(() => worker.RunAsync(schedule, cancellationToken), cancellationToken)));

    private Dictionary<TKey, long> Sum<TKey>(Func<BenchWorker, Dictionary<TKey, long>> counts)
        where TKey : notnull =>
        _workers.SelectMany(counts).GroupBy(static count => count.Key, static count => count.Value)
            .ToDictionary(static group => group.Key, static group => group.Sum());
}
