using Xunit;

namespace FastCgi.TestKit;

/// <summary>Measurements, and the seeds that repeat a run. tests/run prints these lines even if no test fails.</summary>
public static class Figures
{
    private const string Marker = "=> ";

    public static void Write(ITestOutputHelper output, string figures)
    {
        var line = Marker + figures;
        output.WriteLine(line);
        Console.WriteLine(line);
    }
}
