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

    private readonly Option<string[]> _curves = ComparisonCommand.List(
        "--curves", "curves, all of them unless given", CurveCatalog.All.Select(static curve => curve.Name));

    private readonly Option<string[]> _targets = ComparisonCommand.List(
        "--targets", "targets, all of them unless given", s_targets.Select(static target => target.Name));

    private readonly Option<string[]> _peers = new("--peer")
    {
        Description = "a further FastCGI back end with the routes of the application in Application: name=command, "
            + "with {socket} where the path of its socket goes",
    };

    private readonly Option<int> _rounds = ComparisonCommand.Number("--rounds", "rounds of each point", 3, least: 1);

    private readonly Option<int> _seconds =
        ComparisonCommand.Number("--seconds", "seconds of one point in one round", 1, least: 1);

    private readonly Option<int> _warmUp =
        ComparisonCommand.Number("--warm-up", "seconds of each target before each curve", 3, least: 0);

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
        ComparisonCommand.Refuse(_curves, static text => CurveCatalog.All.Any(curve => curve.Name == text));
        ComparisonCommand.Refuse(_targets, static text => s_targets.Any(target => target.Name == text));
        ComparisonCommand.Refuse(
            _peers, static text => CommandTarget.TryParse(text, TargetProtocol.FastCgi) is not null);
        Command.SetAction(RunAsync);
    }

    private Command Command { get; }

    public static Command Create() => new CurvesCommand().Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        var load = await FastCgiLoad.BuildAsync();
        string command = string.Join(' ', parsed.Tokens.Select(static token => token.Value));
        var page = new CurvePage(
            $"bash tests/FastCgi.Benchmarks/run {command}",
            parsed.GetValue(_rounds),
            parsed.GetValue(_seconds),
            parsed.GetValue(_warmUp));
        using var directory = new WorkDirectory();
        List<RunningTarget> running = [];
        bool isAllRight = true;
        try
        {
            foreach (var target in Targets(parsed))
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
            foreach (var curve in CurveCatalog.All.Where(curve => parsed.GetValue(_curves)!.Contains(curve.Name)))
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

    private IEnumerable<Target> Targets(ParseResult parsed) =>
    [
        .. s_targets.Where(target => parsed.GetValue(_targets)!.Contains(target.Name)),
        .. (parsed.GetValue(_peers) ?? []).Select(static text => CommandTarget.TryParse(text, TargetProtocol.FastCgi)!),
    ];
}
