namespace FastCgi.WebServerKit;

/// <summary>What systemd says of units, without running them.</summary>
internal static class Systemd
{
    /// <summary>Asks <c>systemd-analyze</c>. Missing, it fails the test on a build machine and skips it elsewhere.</summary>
    public static Task<(int ExitCode, ErrorLog Log)> AnalyzeAsync(string directory, params IEnumerable<string> arguments) =>
        ChildProcess.RunAsync(InstalledProgram.Find("systemd-analyze"), arguments, directory);

    /// <summary>The units are right in every word.</summary>
    public static async Task AssertVerifiesAsync(string directory, params IEnumerable<string> units)
    {
        var (exitCode, complaints) = await AnalyzeAsync(directory, ["verify", .. units]);
        Assert.Equal((0, ""), (exitCode, complaints.ToString()));
    }
}
