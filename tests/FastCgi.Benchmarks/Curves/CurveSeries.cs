namespace FastCgi.Benchmarks.Curves;

/// <summary>A target in a curve.</summary>
internal sealed class CurveSeries(RunningTarget target, CurveVariant variant)
{
    private readonly SortedDictionary<long, List<Sample>> _samples = [];

    public RunningTarget Target => target;

    /// <summary>For the page and the picture.</summary>
    public string Name => $"{TargetTitle}{(variant.Title is null ? "" : $", {variant.Title}")}";

    public bool IsOfFloor => target.Target.Name == TargetCatalog.Floor;

    public bool IsOfCat => target.Target.Name == TargetCatalog.Cat;

    /// <summary>Why it has no points; null while it has.</summary>
    public string? Reason { get; set; }

    public IEnumerable<CurvePoint> Points => Reason is not null ? [] : _samples.Select(pair =>
        new CurvePoint(pair.Key, new Row(target.Target.Name, null, pair.Value)));

    /// <summary>Null where it has none.</summary>
    public CurvePoint? PointAt(long value) => Points.FirstOrDefault(point => point.Value == value);

    private string TargetTitle => target.Target.Name switch
    {
        TargetCatalog.FastCgi => "this server",
        TargetCatalog.Floor => "C floor",
        var other => other,
    };

    /// <summary>Null where the series has no such point.</summary>
    public CurveLoad? LoadAt(long value) => variant.Load(value);

    public void Add(long value, Sample sample)
    {
        if (!_samples.TryGetValue(value, out var samples))
        {
            _samples.Add(value, samples = []);
        }

        samples.Add(sample);
    }
}
