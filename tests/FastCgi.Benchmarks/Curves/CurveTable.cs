namespace FastCgi.Benchmarks.Curves;

/// <summary>The figures of a curve as Markdown.</summary>
internal static class CurveTable
{
    /// <summary>A table with a row for each point, those of one value together.</summary>
    public static IEnumerable<string> Lines(Curve curve, IReadOnlyList<CurveSeries> series)
    {
        (string Title, Func<CurvePoint, string> Text)[] columns = [.. Columns(curve, series)];
        string titles = string.Join(" | ", columns.Select(static column => column.Title));
        yield return $"| {curve.ValueTitle} | target | {titles} |";
        yield return $"| ---: | --- |{string.Concat(columns.Select(static _ => " ---: |"))}";
        foreach (long value in curve.Values)
        {
            foreach (var one in series)
            {
                if (one.PointAt(value) is { } point)
                {
                    string cells = string.Join(" | ", columns.Select(column => column.Text(point)));
                    yield return $"| {curve.Format(value)} | {one.Name} | {cells} |";
                }
            }
        }
    }

    private static IEnumerable<(string Title, Func<CurvePoint, string> Text)> Columns(
        Curve curve, IReadOnlyList<CurveSeries> series)
    {
        yield return ("requests/s", static point => Number(point.Row.RequestsPerSecond));
        yield return ("CPU/request µs", static point => Number(point.Row.BackEndCpuPerRequest));
        if (curve.IsOfBytes)
        {
            yield return ("MiB/s", static point => Number(point.MebibytesPerSecond));
            yield return ("MiB per CPU second", static point => Number(point.MebibytesPerCpuSecond));
        }

        if (series.FirstOrDefault(static one => one.IsOfFloor) is { } floor)
        {
            yield return ("CPU ÷ floor", point => Ratio(point, floor));
        }

        if (series.FirstOrDefault(static one => one.IsOfCat) is { } cat)
        {
            yield return ("CPU ÷ cat", point => Ratio(point, cat));
        }

        yield return ("p99 ms", static point => Number(point.Row.Percentile99Milliseconds));
        yield return ("failed", static point => point.Row.Failed.ToString(CultureInfo.InvariantCulture));
        yield return ("generator", static point => string.Create(
            CultureInfo.InvariantCulture, $"{point.Row.FrontCpuPerRequest:N1} µs, {point.GeneratorCore * 100:F0} %"));
    }

    private static string Ratio(CurvePoint point, CurveSeries reference) => Number(
        point.Row.BackEndCpuPerRequest / (reference.PointAt(point.Value)?.Row.BackEndCpuPerRequest ?? double.NaN));

    /// <summary>Three digits, or all before the point; a dash where nothing can be said.</summary>
    private static string Number(double value) => double.IsFinite(value)
        ? value.ToString(value < 10 ? "F2" : value < 100 ? "F1" : "N0", CultureInfo.InvariantCulture)
        : "-";
}
