namespace FastCgi.Benchmarks.Start;

/// <summary>One way to publish and to start the application whose start is measured.</summary>
/// <param name="inherits">The socket is passed to it, as by systemd, and the first request waits there.</param>
internal sealed class StartBuild(string name, bool inherits, params string[] properties)
{
    private const string Project = "StartApplication";
    private const string Version = "0.1.0-start";

    // Here and not in the output: it is built from this tree.
    private static readonly string s_sources =
        Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", "..", "Start", "Application"));

    private static readonly string s_library = Path.GetFullPath(Path.Combine(s_sources, "..", "..", "..", "..", "src"));

    private readonly bool _isExecutable = properties.Contains("-p:PublishAot=true");
    private readonly bool _isRunByTool = properties.Contains("-p:KnowsFastCgi=false");
    private string _output = "";
    private string _tool = "";

    public static IReadOnlyList<StartBuild> All { get; } =
    [
        new("framework-dependent", inherits: false, "--no-self-contained"),
        new("socket-activation", inherits: true, "--no-self-contained"),
        new("fcgi-run", inherits: false, "--no-self-contained", "-p:KnowsFastCgi=false"),
        new(
            "ready-to-run", inherits: false,
            "--use-current-runtime", "--no-self-contained", "-p:PublishReadyToRun=true"),
        new("native-aot", inherits: false, "--use-current-runtime", "-p:PublishAot=true"),
    ];

    public string Name => name;

    public override string ToString() => name;

    public bool Inherits => inherits;

    /// <summary>Packs the server and the tool as a release is packed.</summary>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    public static async Task PackAsync(string directory)
    {
        foreach (string package in (string[])["FastCgi.Protocol", "FastCgi.AspNetCore", "FastCgi.Tool"])
        {
            await RunAsync(
                "pack", Path.Combine(s_library, package), "--configuration", "Release", "--nologo",
                "--verbosity", "quiet", "--output", Packages(directory), $"-p:PackageVersion={Version}");
        }

        await RunAsync(
            "tool", "install", "FastCgi.Tool", "--version", Version, "--tool-path", Tools(directory),
            "--add-source", Packages(directory));
    }

    /// <returns>The first error when it failed; null when it did not.</returns>
    public async Task<string?> PublishAsync(string directory)
    {
        string own = Path.Combine(directory, name);
        _tool = Path.Combine(Tools(directory), "fcgi");
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
    public ProcessCommand Command(ServerKind server, string socket)
    {
        string place = inherits ? "inherit" : socket;
        string assembly = Path.Combine(_output, $"{Project}.dll");
        if (_isExecutable)
        {
            return new(Path.Combine(_output, Project), server.ToString(), place);
        }

        return _isRunByTool && server == ServerKind.FastCgi
            ? new(_tool, "run", assembly, "--listen", $"unix:{socket}", "--", "Tool", place)
            : new("dotnet", assembly, server.ToString(), place);
    }

    private static async Task RunAsync(params string[] arguments)
    {
        var (exitCode, output) = await InstalledProgram.RunAsync(new ProcessCommand("dotnet", arguments));
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"dotnet {arguments[0]} ended with {exitCode}: {FirstError(output)}");
        }
    }

    private static string Tools(string directory) => Path.Combine(directory, "tools");

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
