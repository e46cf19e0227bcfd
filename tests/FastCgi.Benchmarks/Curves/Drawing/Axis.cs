namespace FastCgi.Benchmarks.Curves.Drawing;

/// <summary>One direction of a panel.</summary>
/// <param name="Place">Where a value is: 0 at the beginning of the axis, 1 at its end.</param>
internal sealed record Axis(Func<double, double> Place, IReadOnlyList<Tick> Ticks)
{
    /// <summary>So many steps at most, so that the figures stand apart.</summary>
    private const int MostSteps = 5;

    /// <summary>The part of a logarithmic axis that a 0, which has no logarithm, stands away from the others.</summary>
    private const double ZeroPart = 0.12;

    /// <summary>From 0 to a round number that is not below the largest value.</summary>
    public static Axis Linear(double largest)
    {
        double step = StepFor(largest);
        int steps = Math.Max(1, (int)Math.Ceiling((largest / step) - 1e-9));
        double end = steps * step;
        return new Axis(
            value => value / end,
            [.. Enumerable.Range(0, steps + 1).Select(i => new Tick(i * step, Short(i * step)))]);
    }

    /// <summary>From 0 to the last value, with the given ticks.</summary>
    public static Axis Linear(double last, IReadOnlyList<Tick> ticks) => new(value => value / last, ticks);

    /// <summary>Whole powers of ten around the values, which are times in microseconds.</summary>
    public static Axis LogarithmicTime(double smallest, double largest)
    {
        int first = (int)Math.Floor(Math.Log10(smallest));
        int last = Math.Max(first + 1, (int)Math.Ceiling(Math.Log10(largest) - 1e-9));
        return new Axis(
            value => (Math.Log10(value) - first) / (last - first),
            [.. Enumerable.Range(first, last - first + 1).Select(static power =>
                new Tick(Math.Pow(10, power), Time(power)))]);
    }

    /// <summary>From the first value to the last, a 0 before them, with the given ticks.</summary>
    public static Axis Logarithmic(IReadOnlyList<long> values, IReadOnlyList<Tick> ticks)
    {
        double zeroPart = values[0] == 0 ? ZeroPart : 0;
        double first = Math.Log(values.First(static value => value > 0));
        double last = Math.Log(values[^1]);
        return new Axis(
            value => value == 0 ? 0 : zeroPart + ((1 - zeroPart) * (Math.Log(value) - first) / (last - first)), ticks);
    }

    /// <summary>1, 2 or 5 times a power of ten.</summary>
    private static double StepFor(double largest)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(Math.Max(largest, 1e-9) / MostSteps)));
        return new[] { 1.0, 2, 5, 10 }.Select(factor => factor * power)
            .First(step => Math.Ceiling((largest / step) - 1e-9) <= MostSteps);
    }

    private static string Short(double value) => value switch
    {
        >= 1_000_000 => Text(value / 1_000_000) + "M",
        >= 10_000 => Text(value / 1000) + "k",
        _ => Text(value),
    };

    private static string Text(double value) => value.ToString("#,0.##", CultureInfo.InvariantCulture);

    private static string Time(int powerOfMicroseconds) => powerOfMicroseconds switch
    {
        >= 6 => Text(Math.Pow(10, powerOfMicroseconds - 6)) + " s",
        >= 3 => Text(Math.Pow(10, powerOfMicroseconds - 3)) + " ms",
        _ => Text(Math.Pow(10, powerOfMicroseconds)) + " µs",
    };
}

/// <summary>A value that is written beside its axis.</summary>
internal readonly record struct Tick(double Value, string Text);
