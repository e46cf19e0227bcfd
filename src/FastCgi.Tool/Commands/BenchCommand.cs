using FastCgi.Tool.Benchmarks;
using Spectre.Console;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi bench: sends the same request again and again, and prints how long each took.</summary>
internal sealed class BenchCommand
{
    private const int MostConnections = 10_000;

    private static readonly TimeSpan s_betweenFigures = TimeSpan.FromMilliseconds(250);

    private readonly ToolTerminal _terminal;
    private readonly RequestOptions _request = new();
    private readonly Option<long?> _requests = new("--requests", "-n") { Description = "How many requests at most." };
    private readonly Option<double?> _rate = new("--rate")
    {
        Description = "Requests a second on a schedule. Default: as many as come back.",
    };
    private readonly Option<bool> _close = new("--close")
    {
        Description = "A new connection for each request, as web servers do by default.",
    };
    private readonly Option<bool> _json = SharedOptions.Json();

    private readonly Option<int> _connections = new("--connections", "-c")
    {
        Description = "Requests at a time. For PHP-FPM pm.max_children at most.",
        DefaultValueFactory = static _ => 16,
    };

    private readonly Option<double> _duration = new("--duration", "-t")
    {
        Description = "Seconds of the measurement.",
        DefaultValueFactory = static _ => 10,
    };

    private readonly Option<double> _warmUp = new("--warm-up")
    {
        Description = "Seconds before the measurement, so that the application is compiled and connected.",
        DefaultValueFactory = static _ => 2,
    };

    private BenchCommand(ToolTerminal terminal) => _terminal = terminal;

    public static Command Create(ToolTerminal terminal)
    {
        var bench = new BenchCommand(terminal);
        var command = new ExampleCommand(
            "bench",
            "Measures an application: rate, percentiles, histogram. Run it on the machine of the application.",
            "fcgi bench unix:/run/app/app.sock /",
            "fcgi bench unix:/run/app/app.sock /orders -c 64 -t 30 --rate 5000 --json");
        bench._request.AddTo(command);
        foreach (Option option in (Option[])
            [
                bench._connections, bench._duration, bench._requests, bench._rate, bench._warmUp, bench._close,
                bench._json,
            ])
        {
            command.Add(option);
        }

        command.SetAction(bench.RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        RequestSettings settings = await _request.ReadAsync(parsed, _terminal, cancellationToken);
        BenchPlan plan = ReadPlan(parsed);
        await BenchRun.TryOneAsync(settings, cancellationToken);
        using var run = new BenchRun(settings, plan, TimeProvider.System);
        BenchResult result = _terminal.IsWatched
            ? await WatchAsync(run, plan, cancellationToken)
            : await MeasureAsync(run, cancellationToken);
        if (parsed.GetValue(_json))
        {
            _terminal.WriteJson(BenchReport.ToJson(plan, result));
        }
        else
        {
            BenchReport.Write(_terminal, plan, result);
        }

        return result.FailureCount + result.ErrorCount == 0 ? ExitCode.Success : ExitCode.Findings;
    }

    private BenchPlan ReadPlan(ParseResult parsed)
    {
        int connections = parsed.GetValue(_connections);
        if (connections is < 1 or > MostConnections)
        {
            throw new ToolException(
                ExitCode.Usage, $"--connections {connections} is out of range. Give 1 to {MostConnections}.");
        }

        if (parsed.GetValue(_rate) is <= 0 or > 1e7)
        {
            throw new ToolException(
                ExitCode.Usage, $"--rate {parsed.GetValue(_rate)} is no rate. Give requests a second above 0.");
        }

        if (parsed.GetValue(_requests) is < 1)
        {
            throw new ToolException(
                ExitCode.Usage, $"--requests {parsed.GetValue(_requests)} is no number of requests. Give 1 or more.");
        }

        double warmUp = parsed.GetValue(_warmUp);
        return new BenchPlan(
            connections,
            SharedOptions.ReadSeconds(parsed.GetValue(_duration), "--duration"),
            parsed.GetValue(_requests),
            warmUp == 0 ? TimeSpan.Zero : SharedOptions.ReadSeconds(warmUp, "--warm-up"),
            parsed.GetValue(_rate),
            parsed.GetValue(_close) ? false : null);
    }

    private static async Task<BenchResult> MeasureAsync(BenchRun run, CancellationToken cancellationToken)
    {
        await run.WarmUpAsync(cancellationToken);
        return await run.MeasureAsync(cancellationToken);
    }

    /// <summary>Shows a bar, and how many requests have ended, while it measures.</summary>
    private Task<BenchResult> WatchAsync(BenchRun run, BenchPlan plan, CancellationToken cancellationToken) =>
        _terminal.ErrorConsole.Progress().AutoClear(true).StartAsync(async context =>
        {
            ProgressTask task = context.AddTask("warm-up", maxValue: plan.Duration.TotalSeconds);
            await run.WarmUpAsync(cancellationToken);
            long start = TimeProvider.System.GetTimestamp();
            Task<BenchResult> measurement = run.MeasureAsync(cancellationToken);
            using var timer = new PeriodicTimer(s_betweenFigures, TimeProvider.System);
            while (!measurement.IsCompleted)
            {
                TimeSpan elapsed = TimeProvider.System.GetElapsedTime(start);
                long completed = run.Completed;
                task.Value = plan.Requests is { } requests
                    ? plan.Duration.TotalSeconds * completed / requests
                    : elapsed.TotalSeconds;
                task.Description = $"{completed:N0} requests";
                await Task.WhenAny(measurement, timer.WaitForNextTickAsync(cancellationToken).AsTask());
            }

            return await measurement;
        });
}
