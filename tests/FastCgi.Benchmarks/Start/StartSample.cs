namespace FastCgi.Benchmarks.Start;

/// <summary>One start.</summary>
/// <param name="Milliseconds">From before the process was made to its first answer.</param>
/// <param name="ProcessorMilliseconds">User and system time of the process until then.</param>
/// <param name="ResidentMebibytes">A second after it.</param>
/// <param name="ProportionalMebibytes">The same, where a page that several processes share counts in parts.</param>
internal sealed record StartSample(
    double Milliseconds, double ProcessorMilliseconds, double ResidentMebibytes, double ProportionalMebibytes);
