using FastCgi.Benchmarks.Direct;

namespace FastCgi.Benchmarks.Curves;

/// <summary>Measures a curve: in each round all values in turn, and at each value all series.</summary>
/// <param name="warmUp">Of each series before the first round; counts for nothing.</param>
internal sealed class CurveRun(FastCgiLoad load, string directory, int rounds, TimeSpan duration, TimeSpan warmUp)
{
    /// <returns>Whether all answers were right.</returns>
    public async Task<bool> MeasureAsync(Curve curve, IReadOnlyList<CurveSeries> series)
    {
        if (warmUp > TimeSpan.Zero)
        {
            foreach (var one in series)
            {
                await MeasureAsync(one, curve.Values[curve.Values.Count / 2], warmUp);
            }
        }

        for (int round = 1; round <= rounds; round++)
        {
            foreach (long value in curve.Values)
            {
                foreach (var one in series)
                {
                    if (await MeasureAsync(one, value, duration) is { } sample)
                    {
                        one.Add(value, sample);
                        Console.Error.WriteLine(
                            $"{curve.Name}, round {round}, {curve.Format(value)}: {one.Name} "
                            + $"{sample.RequestsPerSecond:N0}/s, {sample.BackEndCpuPerRequest:N1} µs");
                    }
                }
            }
        }

        return series.All(static one => one.Reason is null && one.Points.All(static point => point.Row.Failed == 0));
    }

    /// <returns>Null where the series has no such point, and where the load broke off.</returns>
    private async Task<Sample?> MeasureAsync(CurveSeries series, long value, TimeSpan time)
    {
        if (series.Reason is not null || series.LoadAt(value) is not { } order)
        {
            return null;
        }

        string[] arguments = await order.PrepareAsync(series.Target.SocketPath, directory, time);
        var cpu = series.Target.ReadUsage().Cpu;
        try
        {
            var (result, ownCpu) = await load.RunAsync(arguments);
            var usage = series.Target.ReadUsage();
            return new Sample(result, usage.Cpu - cpu, ownCpu, usage.MemoryBytes);
        }
        catch (InvalidOperationException exception)
        {
            series.Reason = exception.Message;
            return null;
        }
    }
}
