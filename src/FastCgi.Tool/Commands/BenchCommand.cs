using System.Runtime.InteropServices;
using FastCgi.Tool.Benchmarks;
using Spectre.Console;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi bench: sends the same request again and again, and prints the times.</summary>
internal sealed class BenchCommand : ExampleCommand
{
    private const int MostConnections = 10_000;

    private static readonly TimeSpan s_betweenFigures = TimeSpan.FromMilliseconds(250);

    private readonly ToolTerminal _terminal;
    private readonly RequestOptions _request = new();
    private readonly Option<int> _connections = SharedOptions.WithDefault(
        16, "--connections", "Requests at a time. For PHP-FPM pm.max_children at most.", "-c");
    private readonly Option<double> _duration = SharedOptions.WithDefault(
        10.0, "--duration", "Seconds of the measurement.", "-t");
    private readonly Option<long?> _requests = SharedOptions.Of<long?>(
        "--requests", "How many requests at most.", aliases: "-n");
    private readonly Option<double?> _rate = SharedOptions.Of<double?>(
        "--rate", "Requests a second on a schedule. Default: as many as come back.");
    private readonly Option<double> _warmUp = SharedOptions.WithDefault(
        2.0, "--warm-up", "Seconds before the measurement, so that the application is compiled and connected.");
    private readonly Option<bool> _close = SharedOptions.Flag(
        "--close", "A new connection for each request, as web servers do by default.");
    private readonly Option<bool> _json = SharedOptions.Json();

    public BenchCommand(ToolTerminal terminal)
        : base(
            "bench",
            "Measures an application: rate, percentiles, histogram. Run it on the machine of the application.",
            "fcgi bench unix:/run/app/app.sock /",
            "fcgi bench unix:/run/app/app.sock /orders -c 64 -t 30 --rate 5000 --json")
    {
        _terminal = terminal;
        _request.AddTo(this);
        AddAll(_connections, _duration, _requests, _rate, _warmUp, _close, _json);
        SetAction(RunAsync);
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
            throw ToolException.Usage($"--connections {connections} is out of range. Give 1 to {MostConnections}.");
        }

        if (parsed.GetValue(_rate) is <= 0 or > 1e7)
        {
            throw ToolException.Usage($"--rate {parsed.GetValue(_rate)} is no rate. Give requests a second above 0.");
        }

        if (parsed.GetValue(_requests) is < 1)
        {
            throw ToolException.Usage(
                $"--requests {parsed.GetValue(_requests)} is no number of requests. Give 1 or more.");
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

    /// <summary>Shows a bar and the number of completed requests during the measurement.</summary>
    private async Task<BenchResult> WatchAsync(BenchRun run, BenchPlan plan, CancellationToken cancellationToken)
    {
        // The bar hides the cursor, and a signal would end the process without showing it again.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, ShowCursor);
        using var termination = PosixSignalRegistration.Create(PosixSignal.SIGTERM, ShowCursor);
        return await _terminal.ErrorConsole.Progress().AutoClear(true).StartAsync(async context =>
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

        void ShowCursor(PosixSignalContext signal) => _terminal.ErrorConsole.Cursor.Show();
    }
}
