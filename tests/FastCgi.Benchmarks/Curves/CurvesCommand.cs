using FastCgi.Benchmarks.Direct;

namespace FastCgi.Benchmarks.Curves;

/// <summary><c>curves</c>: what a request costs as the work grows.</summary>
internal sealed class CurvesCommand
{
    private const int MostConnections = 1000;

    private static readonly IReadOnlyList<Target> s_targets =
    [
        .. TargetCatalog.All.Where(static target => target.Name is TargetCatalog.FastCgi or TargetCatalog.Floor),
        TargetCatalog.CopyOfBytes,
    ];

    private readonly Option<Curve[]> _curves = CommandOptions.Choice("--curves", CurveCatalog.All);
    private readonly Option<Target[]> _targets = CommandOptions.Choice("--targets", s_targets);

    private readonly Option<CommandTarget[]> _peers = CommandOptions.Peers(
        "--peer",
        "a further FastCGI back end with the routes of the application in Application: name=command, "
            + "with {socket} where the path of its socket goes",
        TargetProtocol.FastCgi);

    private readonly Option<int> _rounds = CommandOptions.Number("--rounds", "rounds of each point", 3, least: 1);

    private readonly Option<int> _seconds =
        CommandOptions.Number("--seconds", "seconds of one point in one round", 1, least: 1);

    private readonly Option<int> _warmUp =
        CommandOptions.Number("--warm-up", "seconds of each target before each curve", 3, least: 0);

    private readonly Option<DirectoryInfo?> _output = new("--output")
    {
        Description = "a directory for curves.md and the pictures, curves/*.svg",
    };

    private CurvesCommand()
    {
        Command = new Command("curves", "Measures what a request costs as the work grows.")
        {
            _curves, _targets, _peers, _rounds, _seconds, _warmUp, _output,
        };
        Command.SetAction(RunAsync);
    }

    private Command Command { get; }

    public static Command Create() => new CurvesCommand().Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        var load = await FastCgiLoad.BuildAsync();
        var page = new CurvePage(
            $"bash tests/FastCgi.Benchmarks/{parsed.Text()}",
            parsed.GetValue(_rounds),
            parsed.GetValue(_seconds),
            parsed.GetValue(_warmUp));
        using var directory = new WorkDirectory();
        List<RunningTarget> running = [];
        bool isAllRight = true;
        try
        {
            foreach (var target in (Target[])[.. parsed.GetValue(_targets)!, .. parsed.GetValue(_peers)!])
            {
                try
                {
                    if (await target.PrepareAsync() is { } reason)
                    {
                        page.AddLeftOut(target, reason);
                        continue;
                    }

                    running.Add(await RunningTarget.StartAsync(target, directory.Path, MostConnections));
                    page.AddTarget(target);
                }
                catch (InvalidOperationException exception)
                {
                    page.AddLeftOut(target, exception.Message);
                    isAllRight = false;
                }
            }

            var run = new CurveRun(
                load,
                directory.Path,
                parsed.GetValue(_rounds),
                TimeSpan.FromSeconds(parsed.GetValue(_seconds)),
                TimeSpan.FromSeconds(parsed.GetValue(_warmUp)));
            foreach (var curve in parsed.GetValue(_curves)!)
            {
                CurveSeries[] series =
                [
                    .. running.SelectMany(target => curve.Variants
                        .Where(variant => variant.Fits(target.Target.Name))
                        .Select(variant => new CurveSeries(target, variant))),
                ];
                isAllRight &= await run.MeasureAsync(curve, series);
                page.AddCurve(curve, series);
            }
        }
        finally
        {
            foreach (var target in running)
            {
                await target.DisposeAsync();
            }
        }

        Console.Write(page.Text);
        if (parsed.GetValue(_output) is { } output)
        {
            page.Save(output.FullName);
        }

        return isAllRight ? 0 : 1;
    }
}
