namespace FastCgi.Benchmarks.Compare;

/// <summary>Opens the way to the targets that have been started.</summary>
internal delegate Task<IRoute> OpenRoute(IReadOnlyList<RunningTarget> targets, string directory, bool keepConnections);

/// <summary>
/// Starts the targets, checks what each can do, and measures them side by side: the rounds are interleaved, so that
/// what else the machine does meets all of them.
/// </summary>
internal sealed class Comparison(
    ComparisonOptions options, IReadOnlyList<Target> targets, OpenRoute openRoute, Report report)
{
    /// <summary>What the ratios are to, where it is measured.</summary>
    private static readonly string[] s_references = [TargetCatalog.Kestrel, TargetCatalog.Floor];

    private bool _isAllRight = true;

    /// <returns>Whether every target started, and answered rightly or said that it has no such workload.</returns>
    public async Task<bool> RunAsync()
    {
        foreach (bool keepConnections in options.KeepConnections)
        {
            await RunAsync(keepConnections);
        }

        return _isAllRight;
    }

    private async Task RunAsync(bool keepConnections)
    {
        using var directory = new WorkDirectory();
        List<RunningTarget> running = [];
        try
        {
            foreach (var target in targets)
            {
                try
                {
                    running.Add(await RunningTarget.StartAsync(target, directory.Path, options.MostConnections));
                }
                catch (InvalidOperationException exception)
                {
                    report.WriteLeftOut(target.Name, exception.Message);
                    _isAllRight = false;
                }
            }

            await using var route = await openRoute(running, directory.Path, keepConnections);
            foreach (var workload in options.Workloads)
            {
                var reasons = await CheckAllAsync(route, running, workload);
                foreach (int connections in options.ConnectionsOf(workload))
                {
                    var order = new LoadOrder(workload, connections, Longer(options.Duration, workload));
                    var rows = await MeasureAsync(route, reasons, order);
                    report.WriteTable(Title(order, keepConnections), rows, s_references);
                }
            }
        }
        finally
        {
            foreach (var target in running)
            {
                await target.DisposeAsync();
            }
        }
    }

    /// <returns>For each target why it is not measured with the workload; null where it is.</returns>
    private async Task<Dictionary<RunningTarget, string?>> CheckAllAsync(
        IRoute route, IReadOnlyList<RunningTarget> running, Workload workload)
    {
        Dictionary<RunningTarget, string?> reasons = [];
        foreach (var target in running)
        {
            reasons[target] = await CheckAsync(route, target, workload);
        }

        return reasons;
    }

    private async Task<string?> CheckAsync(IRoute route, RunningTarget target, Workload workload)
    {
        var answer = await CheckedAnswer.AskAsync(route, target, workload);
        _isAllRight &= !answer.IsFault;
        return answer.Reason;
    }

    private string Fault(string reason)
    {
        _isAllRight = false;
        return reason;
    }

    private async Task<IReadOnlyList<Row>> MeasureAsync(
        IRoute route, IReadOnlyDictionary<RunningTarget, string?> reasons, LoadOrder order)
    {
        var absent = reasons.ToDictionary();
        var samples = reasons.ToDictionary(static pair => pair.Key, static _ => new List<Sample>());
        for (int round = options.WarmUp > TimeSpan.Zero ? 0 : 1; round <= options.Rounds; round++)
        {
            bool isWarmUp = round == 0;
            foreach (var target in reasons.Keys.Where(target => absent[target] is null))
            {
                try
                {
                    var sample = await Sample.TakeAsync(
                        route, target, isWarmUp ? order with { Duration = options.WarmUp } : order);
                    if (!isWarmUp)
                    {
                        samples[target].Add(sample);
                        ShowProgress(order, round, target, sample);
                    }
                }
                catch (InvalidOperationException exception)
                {
                    absent[target] = Fault(exception.Message);
                }
            }
        }

        return [.. absent.Select(pair => new Row(pair.Key.Target.Name, pair.Value, samples[pair.Key]))];
    }

    private static string Title(LoadOrder order, bool keepConnections) =>
        $"{order.Workload.Title}; {order.Connections} connections; keep_conn {(keepConnections ? "on" : "off")}";

    private static TimeSpan Longer(TimeSpan duration, Workload workload) =>
        duration > workload.LeastDuration ? duration : workload.LeastDuration;

    private static void ShowProgress(LoadOrder order, int round, RunningTarget target, Sample sample) =>
        Console.Error.WriteLine($"{order.Workload.Name}, {order.Connections} connections, round {round}: "
            + $"{target.Target.Name} {sample.RequestsPerSecond:N0}/s, {sample.BackEndCpuPerRequest:N1} µs");
}
