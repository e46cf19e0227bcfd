namespace FastCgi.Benchmarks.Curves;

/// <summary>The medians of the rounds at one value.</summary>
/// <param name="Value">What grows.</param>
/// <param name="Row">What was measured; the front is the load generator.</param>
internal sealed record CurvePoint(long Value, Row Row)
{
    private const double Mebibyte = 1024 * 1024;
    private const double MicrosecondsOfSecond = 1e6;

    /// <summary>A generator that works for more of the time may well be what sets the pace.</summary>
    private const double MostOfACore = 0.9;

    public double MebibytesPerSecond => Row.RequestsPerSecond * Value / Mebibyte;

    public double MebibytesPerCpuSecond => Value / Row.BackEndCpuPerRequest * MicrosecondsOfSecond / Mebibyte;

    /// <summary>How much of its one core the load generator used: 1 is all.</summary>
    public double GeneratorCore => Row.RequestsPerSecond * Row.FrontCpuPerRequest / MicrosecondsOfSecond;

    public bool IsLimitedByGenerator => GeneratorCore > MostOfACore;
}
