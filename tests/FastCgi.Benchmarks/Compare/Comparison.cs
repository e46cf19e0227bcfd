using System.Net.Sockets;
using FastCgi.Benchmarks.FrontEnd;
using FastCgi.Benchmarks.Loads;
using FastCgi.Benchmarks.Targets;

namespace FastCgi.Benchmarks.Compare;

/// <summary>Opens the way to the targets that have been started.</summary>
/// <param name="targets">All that run.</param>
/// <param name="directory">For its files.</param>
/// <param name="keepConnections">Whether connections to the targets are kept.</param>
internal delegate Task<IRoute> OpenRoute(IReadOnlyList<RunningTarget> targets, string directory, bool keepConnections);

/// <summary>
/// Starts the targets, checks what each can do, and measures them side by side: the rounds are interleaved, so that
/// what else the machine does meets all of them.
/// </summary>
/// <param name="options">What to compare.</param>
/// <param name="targets">The prepared ones.</param>
/// <param name="openRoute">How requests come to them.</param>
/// <param name="report">Gets the tables.</param>
internal sealed class Comparison(
    ComparisonOptions options, IReadOnlyList<Target> targets, OpenRoute openRoute, Report report)
{
    /// <returns>Whether every target that was started answered rightly, or said that it has no such workload.</returns>
    public async Task<bool> RunAsync()
    {
        bool allRight = true;
        foreach (bool keepConnections in options.KeepConnections)
        {
            allRight &= await RunAsync(keepConnections);
        }

        return allRight;
    }

    private async Task<bool> RunAsync(bool keepConnections)
    {
        using var directory = new WorkDirectory();
        List<RunningTarget> running = [];
        bool allRight = true;
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
                    allRight = false;
                }
            }

            await using var route = await openRoute(running, directory.Path, keepConnections);
            foreach (var workload in options.Workloads)
            {
                var reasons = await CheckAllAsync(route, running, workload);
                allRight &= !reasons.Values.Any(static reason => reason is { IsWrong: true });
                foreach (int connections in options.ConnectionsOf(workload))
                {
                    var order = new LoadOrder(workload, connections, options.Duration);
                    report.WriteTable(workload, connections, keepConnections, await MeasureAsync(route, reasons, order));
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

        return allRight;
    }

    /// <returns>For each target why it is not measured with the workload; null where it is.</returns>
    private static async Task<Dictionary<RunningTarget, Absence?>> CheckAllAsync(
        IRoute route, IReadOnlyList<RunningTarget> running, Workload workload)
    {
        Dictionary<RunningTarget, Absence?> reasons = [];
        foreach (var target in running)
        {
            reasons[target] = await CheckAsync(route, target, workload);
        }

        return reasons;
    }

    private static async Task<Absence?> CheckAsync(IRoute route, RunningTarget target, Workload workload)
    {
        Answer answer;
        try
        {
            answer = await route.AskAsync(target, workload);
        }
        catch (Exception exception) when (
            exception is IOException or SocketException or HttpRequestException or OperationCanceledException)
        {
            return new Absence(IsWrong: true, $"no answer: {exception.Message}");
        }

        return answer.Status switch
        {
            200 => workload.Check(answer.Body) is { } fault ? new Absence(IsWrong: true, $"wrong answer: {fault}") : null,
            404 => new Absence(IsWrong: false, "does not have this workload"),
            _ => new Absence(IsWrong: true, $"wrong answer: status {answer.Status}"),
        };
    }

    private async Task<IReadOnlyList<Row>> MeasureAsync(
        IRoute route, Dictionary<RunningTarget, Absence?> reasons, LoadOrder order)
    {
        var samples = reasons.ToDictionary(static pair => pair.Key, static _ => new List<Sample>());
        RunningTarget[] measured = [.. reasons.Where(static pair => pair.Value is null).Select(static pair => pair.Key)];
        if (options.WarmUp > TimeSpan.Zero)
        {
            foreach (var target in measured)
            {
                await route.LoadAsync(target, order with { Duration = options.WarmUp });
            }
        }

        for (int round = 1; round <= options.Rounds; round++)
        {
            foreach (var target in measured)
            {
                var sample = await MeasureOnceAsync(route, target, order);
                samples[target].Add(sample);
                Console.Error.WriteLine($"{order.Workload.Name}, {order.Connections} connections, round {round}: "
                    + $"{target.Target.Name} {sample.RequestsPerSecond:N0}/s, {sample.BackEndCpuPerRequest:N1} µs");
            }
        }

        return [.. reasons.Select(pair => new Row(pair.Key.Target.Name, pair.Value?.Reason, samples[pair.Key]))];
    }

    private static async Task<Sample> MeasureOnceAsync(IRoute route, RunningTarget target, LoadOrder order)
    {
        var backEndCpu = target.ReadUsage().Cpu;
        var frontCpu = route.ReadFrontCpu();
        var load = await route.LoadAsync(target, order);
        var usage = target.ReadUsage();
        return new Sample(load, usage.Cpu - backEndCpu, route.ReadFrontCpu() - frontCpu, usage.MemoryBytes);
    }

    /// <summary>Why a target is missing in a table.</summary>
    private sealed record Absence(bool IsWrong, string Reason);
}
