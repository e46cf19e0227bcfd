using FastCgi.Benchmarks.Processes;

namespace FastCgi.Benchmarks.Start;

/// <summary>One way to publish the application whose start is measured.</summary>
/// <param name="name">As it is written in the command line and in the table.</param>
/// <param name="properties">What is said to <c>dotnet publish</c>.</param>
internal sealed class StartBuild(string name, params string[] properties)
{
    private const string Project = "StartApplication";

    // Here and not in the output: it is built from this tree.
    private static readonly string s_sources =
        Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", "..", "Start", "Application"));

    private readonly bool _isExecutable = properties.Contains("-p:PublishAot=true");
    private string _output = "";

    public static IReadOnlyList<StartBuild> All { get; } =
    [
        new("framework-dependent", "--no-self-contained"),
        new("ready-to-run", "--use-current-runtime", "--no-self-contained", "-p:PublishReadyToRun=true"),
        new("native-aot", "--use-current-runtime", "-p:PublishAot=true"),
    ];

    public string Name => name;

    /// <param name="directory">For everything that the build writes.</param>
    /// <returns>The first error when it failed; null when it did not.</returns>
    public async Task<string?> PublishAsync(string directory)
    {
        string own = Path.Combine(directory, name);
        _output = Path.Combine(own, "published");
        var (exitCode, output) = await InstalledProgram.RunAsync(new ProcessCommand(
            "dotnet",
            [
                "publish", Path.Combine(s_sources, $"{Project}.csproj"),
                "--configuration", "Release", "--nologo", "--verbosity", "quiet",
                "--artifacts-path", own, "--output", _output,
                .. properties,
            ]));
        return exitCode == 0 ? null : $"dotnet publish ended with {exitCode}: {FirstError(output)}";
    }

    /// <summary>How to start what was published.</summary>
    public ProcessCommand Command(params string[] arguments) => _isExecutable
        ? new(Path.Combine(_output, Project), arguments)
        : new("dotnet", [Path.Combine(_output, $"{Project}.dll"), .. arguments]);

    /// <summary>Without the paths around it.</summary>
    private static string FirstError(string output)
    {
        string[] lines = output.Split('\n');
        string line = lines.FirstOrDefault(static one => one.Contains("error ", StringComparison.Ordinal)) ?? lines[^1];
        string message = line[Math.Max(0, line.IndexOf("error ", StringComparison.Ordinal))..];
        int project = message.LastIndexOf(" [", StringComparison.Ordinal);
        return project < 0 ? message : message[..project];
    }
}
