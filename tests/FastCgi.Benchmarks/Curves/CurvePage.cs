namespace FastCgi.Benchmarks.Curves;

/// <summary>The page with the pictures and their figures.</summary>
internal sealed class CurvePage(string command, int rounds, int seconds, int warmUp)
{
    private const string FileName = "curves.md";
    private const string PictureFolder = "curves";

    private readonly List<string> _targets = [];
    private readonly List<string> _curves = [];
    private readonly List<(string Name, string Svg)> _pictures = [];
    private readonly string _machine = Machine.Describe();

    public string Text => $"""
        # Cost as the work grows

        What a request costs when there are more connections, more params, larger bodies, larger responses or more
        requests at a time on a connection. There is no web server in between: a load generator speaks FastCGI over a
        unix socket and verifies every answer. CPU is user and system time of the target's processes.

        - machine: {_machine}
        - command: `{command}`
        - rounds: {rounds} of {seconds} s for each point, interleaved, after {warmUp} s of warm-up of each line; medians
        {string.Join('\n', _targets)}

        How to read it: the rates hold on this machine only, where the load generator has one thread and shares the
        cores with the target. "generator" is what it used itself, for a request and of a core: near 100 % it, and not
        the target, may be what limits the rate; such points are rings in the pictures. A request that finds its target
        idle pays for a thread that wakes, so what it costs on one connection is more than on several. Where one line
        alone bends, what bends it is in that target; where all bend together, it is the kernel's sockets or the
        machine's memory.

        {string.Join('\n', _curves).TrimEnd()}

        """.ReplaceLineEndings("\n");

    public void AddTarget(Target target) => _targets.Add($"- **{target.Name}**: {target.Description}");

    public void AddLeftOut(Target target, string reason) =>
        _targets.Add($"- **{target.Name}** is left out: {reason}");

    public void AddCurve(Curve curve, IReadOnlyList<CurveSeries> series)
    {
        _curves.AddRange([$"## {curve.Title}", "", curve.Text, ""]);
        if (CurveChart.Draw(curve, series, command) is { } svg)
        {
            _pictures.Add((curve.Name, svg));
            _curves.AddRange([$"![{CurveChart.Describe(curve)}]({PictureFolder}/{curve.Name}.svg)", ""]);
        }

        _curves.AddRange([.. CurveTable.Lines(curve, series), ""]);
        foreach (var one in series.Where(static one => one.Reason is not null))
        {
            _curves.AddRange([$"- {one.Name} is left out: {one.Reason}", ""]);
        }
    }

    /// <param name="directory">Is made when it does not exist; what it has of these names is replaced.</param>
    public void Save(string directory)
    {
        string pictures = Directory.CreateDirectory(Path.Combine(directory, PictureFolder)).FullName;
        File.WriteAllText(Path.Combine(directory, FileName), Text);
        foreach (var (name, svg) in _pictures)
        {
            File.WriteAllText(Path.Combine(pictures, $"{name}.svg"), svg);
        }
    }
}
