namespace FastCgi.Benchmarks.Start;

/// <summary>One way to publish and to start the application whose start is measured.</summary>
/// <param name="name">As it is written in the command line and in the table.</param>
/// <param name="inherits">The socket is passed to it, as by systemd, and the first request waits there.</param>
/// <param name="properties">What is said to <c>dotnet publish</c>.</param>
internal sealed class StartBuild(string name, bool inherits, params string[] properties)
{
    private const string Project = "StartApplication";
    private const string Version = "0.1.0-start";

    // Here and not in the output: it is built from this tree.
    private static readonly string s_sources =
        Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", "..", "Start", "Application"));

    private static readonly string s_library = Path.GetFullPath(Path.Combine(s_sources, "..", "..", "..", "..", "src"));

    private readonly bool _isExecutable = properties.Contains("-p:PublishAot=true");
    private string _output = "";

    public static IReadOnlyList<StartBuild> All { get; } =
    [
        new("framework-dependent", inherits: false, "--no-self-contained"),
        new("socket-activation", inherits: true, "--no-self-contained"),
        new(
            "ready-to-run", inherits: false,
            "--use-current-runtime", "--no-self-contained", "-p:PublishReadyToRun=true"),
        new("native-aot", inherits: false, "--use-current-runtime", "-p:PublishAot=true"),
    ];

    public string Name => name;

    public bool Inherits => inherits;

    /// <summary>Packs the server as a release is packed.</summary>
    /// <param name="directory">That of <see cref="PublishAsync"/>.</param>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    public static async Task PackAsync(string directory)
    {
        foreach (string package in (string[])["FastCgi.Protocol", "FastCgi.AspNetCore"])
        {
            var (exitCode, output) = await InstalledProgram.RunAsync(new ProcessCommand(
                "dotnet", "pack", Path.Combine(s_library, package), "--configuration", "Release", "--nologo",
                "--verbosity", "quiet", "--output", Packages(directory), $"-p:PackageVersion={Version}"));
            if (exitCode != 0)
            {
                throw new InvalidOperationException($"dotnet pack ended with {exitCode}: {FirstError(output)}");
            }
        }
    }

    /// <param name="directory">For everything that the build writes; the packages are there.</param>
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
                $"-p:FastCgiVersion={Version}",
                $"-p:RestoreAdditionalProjectSources={Packages(directory)}",
                $"-p:RestorePackagesPath={Path.Combine(directory, "restored")}",
                .. properties,
            ]));
        return exitCode == 0 ? null : $"dotnet publish ended with {exitCode}: {FirstError(output)}";
    }

    /// <summary>How to start what was published.</summary>
    public ProcessCommand Command(params string[] arguments) => _isExecutable
        ? new(Path.Combine(_output, Project), arguments)
        : new("dotnet", [Path.Combine(_output, $"{Project}.dll"), .. arguments]);

    private static string Packages(string directory) => Path.Combine(directory, "packages");

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
