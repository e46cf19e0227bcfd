namespace FastCgi.Benchmarks.Direct;

/// <summary>The load generator in <c>Load/load.c</c>.</summary>
internal sealed class FastCgiLoad
{
    private static readonly string s_directory = Path.Combine(AppContext.BaseDirectory, "Direct", "Load");

    private readonly string _program = Path.Combine(s_directory, "load");

    private FastCgiLoad()
    {
    }

    /// <exception cref="InvalidOperationException">There is no C compiler, or it does not compile.</exception>
    public static async Task<FastCgiLoad> BuildAsync()
    {
        string compiler = InstalledProgram.Require("gcc", "gcc");
        var load = new FastCgiLoad();
        var (exitCode, output) = await InstalledProgram.RunAsync(
            new ProcessCommand(compiler, "-O2", "-Wall", "-o", load._program, "load.c", "answer.c"), s_directory);
        return exitCode == 0
            ? load
            : throw new InvalidOperationException($"The load generator was not built: {output}");
    }

    /// <param name="bodyFile">The body that every answer must have.</param>
    /// <returns>What it counted, and the CPU time that it used itself.</returns>
    public Task<(LoadResult Result, TimeSpan OwnCpu)> RunAsync(
        string socketPath, string requestFile, string bodyFile, bool keepConnections, LoadOrder order) =>
        RunAsync(
        [
            socketPath,
            $"{order.Connections}",
            $"{order.Duration.TotalSeconds:F0}",
            keepConnections ? "keep" : "close",
            requestFile,
            bodyFile,
        ]);

    /// <param name="arguments">The program's, which are described where it begins.</param>
    /// <returns>What it counted, and the CPU time that it used itself.</returns>
    public async Task<(LoadResult Result, TimeSpan OwnCpu)> RunAsync(string[] arguments)
    {
        var (exitCode, output) = await InstalledProgram.RunInSessionAsync(new ProcessCommand(_program, arguments));
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"The load generator ended with {exitCode}: {output}");
        }

        long ownCpu = long.Parse(output.Split(' ')[^1], CultureInfo.InvariantCulture);
        return (LoadResult.Parse(output), TimeSpan.FromMicroseconds(ownCpu));
    }
}
