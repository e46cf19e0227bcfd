namespace FastCgi.FuzzTests.Harness;

/// <summary>What a run has measured, or needs to be repeated. tests/run shows these lines also when all went well.</summary>
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
