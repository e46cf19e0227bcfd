using FastCgi.Benchmarks.Curves.Drawing;

namespace FastCgi.Benchmarks.Curves;

/// <summary>The picture of a curve.</summary>
internal static class CurveChart
{
    private const int ColorOfFloor = 1;
    private const int ColorOfCat = 2;

    /// <summary>What it shows, in words.</summary>
    public static string Describe(Curve curve)
    {
        string what = curve.IsOfBytes
            ? "MiB per second, CPU per request and MiB per CPU second"
            : "requests per second and CPU per request";
        return $"{curve.Title}: {what} by {curve.ValueTitle}";
    }

    /// <summary>Null when there is nothing to draw.</summary>
    public static string? Draw(Curve curve, IReadOnlyList<CurveSeries> series, string command)
    {
        (CurveSeries Series, int Color)[] drawn =
            [.. WithColors(series).Where(static one => one.Series.Points.Any(IsAnswered))];
        if (drawn.Length == 0)
        {
            return null;
        }

        bool isAnyLimited = drawn.Any(static one => one.Series.Points.Any(static point => point.IsLimitedByGenerator));
        Tick[] ticks =
            [.. curve.LabelledValues.Select(value => new Tick(value, curve.Format(value)))];
        return ChartDrawing.Draw(new Chart(
            curve.Title,
            curve.ValueTitle,
            curve.IsLogarithmic ? Axis.Logarithmic(curve.Values, ticks) : Axis.Linear(curve.Values[^1], ticks),
            curve.IsOfBytes
                ?
                [
                    LinearPanel("MiB per second", drawn, static point => point.MebibytesPerSecond, areRates: true),
                    TimePanel("CPU per request", drawn),
                    LinearPanel("MiB per CPU second", drawn, static point => point.MebibytesPerCpuSecond),
                ]
                :
                [
                    LinearPanel(
                        "requests per second", drawn, static point => point.Row.RequestsPerSecond, areRates: true),
                    LinearPanel("CPU per request, µs", drawn, static point => point.Row.BackEndCpuPerRequest),
                ],
            [
                .. isAnyLimited
                    ? ["Rings: the load generator used up its core, so the target could be faster than that."]
                    : (string[])[],
                Machine.DescribeHardware(),
                command,
            ]));
    }

    /// <summary>The known ones have the same colour in all pictures, whatever else is in them.</summary>
    private static IEnumerable<(CurveSeries Series, int Color)> WithColors(IReadOnlyList<CurveSeries> series)
    {
        int others = 0;
        foreach (var one in series)
        {
            yield return (one, one.IsOfFloor ? ColorOfFloor : one.IsOfCat ? ColorOfCat : NextColor());
        }

        int NextColor()
        {
            int color = others == 0 ? 0 : ColorOfCat + others;
            others++;
            return color % SvgDocument.Colors;
        }
    }

    private static bool IsAnswered(CurvePoint point) => point.Row.RequestsPerSecond > 0;

    private static Panel LinearPanel(
        string title,
        (CurveSeries Series, int Color)[] series,
        Func<CurvePoint, double> value,
        bool areRates = false)
    {
        Line[] lines =
        [
            .. series.Select(one => new Line(one.Series.Name, one.Color,
            [
                .. one.Series.Points.Where(IsAnswered).Select(point =>
                    new Point(point.Value, value(point), areRates && point.IsLimitedByGenerator)),
            ])),
        ];
        return new Panel(title, Axis.Linear(lines.Max(static line => line.Points.Max(static point => point.Y))), lines);
    }

    private static Panel TimePanel(string title, (CurveSeries Series, int Color)[] series)
    {
        var panel = LinearPanel(title, series, static point => point.Row.BackEndCpuPerRequest);
        double[] values = [.. panel.Lines.SelectMany(static line => line.Points).Select(static point => point.Y)];
        return panel with { Y = Axis.LogarithmicTime(values.Min(), values.Max()) };
    }
}
