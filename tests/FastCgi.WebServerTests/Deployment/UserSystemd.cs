namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// A systemd of its own, <c>systemd --user</c> in a mount namespace with a runtime directory that nobody else has. It
/// runs the documented template units, without what only the system's manager may do: users, groups and the sandbox.
/// </summary>
internal sealed class UserSystemd : IAsyncDisposable
{
    private const string Runtime = "/run/user/fcgi";

    /// <summary>The settings of the documented service that a user's manager can follow.</summary>
    private static readonly string[] _kept =
        ["Type", "Restart", "Watchdog", "Timeout", "Kill", "StartLimit", "Requires", "After", "ExecReload"];

    private readonly WorkDirectory _directory = new();
    private readonly ChildProcess _manager;

    private UserSystemd(string environment)
    {
        var units = Directory.CreateDirectory(_directory.File(".config/systemd/user")).FullName;
        var documented = Path.Combine(Repository.Root, "docs", "systemd");
        File.WriteAllText(Path.Combine(units, "site@.socket"), Adapt(
            File.ReadLines(Path.Combine(documented, "site@.socket")),
            static line => !line.StartsWith("SocketUser", StringComparison.Ordinal)
                && !line.StartsWith("SocketGroup", StringComparison.Ordinal)));
        var program = Repository.BuiltTestProgram("FastCgi.InstanceApp");
        var service = Adapt(
            File.ReadLines(Path.Combine(documented, "site@.service")),
            static line => line.StartsWith('[') || _kept.Any(key => line.StartsWith(key, StringComparison.Ordinal)));
        File.WriteAllText(Path.Combine(units, "site@.service"), $"""
            {service}
            ExecStart={InstalledProgram.Find("dotnet")} {program} --Instance=%i --Orders=%t/%i.orders
            ExecStopPost=/bin/sh -c 'echo %i $SERVICE_RESULT >> %t/ends'
            Environment=Logging__LogLevel__Default=Warning {environment}
            """);

        // Everything it makes is in memory, and goes with the namespace.
        const string Script = """
            mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" && chmod 700 "$XDG_RUNTIME_DIR" || exit 1
            systemd=/lib/systemd/systemd; [ -x $systemd ] || systemd=/usr/lib/systemd/systemd
            SYSTEMD_LOG_TARGET=console $systemd --user &
            until [ -S "$XDG_RUNTIME_DIR/systemd/private" ]; do sleep 0.05; done
            echo "manager $$ is ready"
            trap 'systemctl --user exit; wait' TERM
            wait
            """;
        _manager = ChildProcess.Start(
            "unshare",
            ["--mount", "--propagation", "private", "bash", "-c", Script],
            _directory.Path,
            new Dictionary<string, string> { ["XDG_RUNTIME_DIR"] = Runtime, ["HOME"] = _directory.Path });
    }

    /// <summary>Of the shell that holds the namespace; systemd and its services are below it.</summary>
    public int ProcessId { get; private set; }

    public string Log => _manager.Log.ToString();

    public static async Task<UserSystemd> StartAsync(string environment = "")
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "A mount namespace needs root.");
        InstalledProgram.RequireFile("/usr/bin/nsenter");
        var manager = new UserSystemd(environment);
        var ready = await manager._manager.Log
            .FirstAsync(static line => line.StartsWith("manager ", StringComparison.Ordinal))
            .Within("the start of systemd --user", () => manager.Log);
        manager.ProcessId = int.Parse(ready.Split(' ')[1], CultureInfo.InvariantCulture);
        return manager;
    }

    /// <summary>The socket of a site, as this process reaches it in the other namespace.</summary>
    public string SocketPath(string site) => RuntimeFile($"fastcgi/{site}.sock");

    /// <summary>A file in its runtime directory.</summary>
    public string RuntimeFile(string name) => $"/proc/{ProcessId}/root{Runtime}/{name}";

    /// <summary>How the services have ended so far: each line has the site and systemd's result.</summary>
    public string[] Ends => File.Exists(RuntimeFile("ends")) ? File.ReadAllLines(RuntimeFile("ends")) : [];

    /// <summary>What systemctl prints.</summary>
    public async Task<string> RunAsync(params string[] arguments)
    {
        var (_, log) = await ChildProcess.RunAsync(
            "nsenter",
            [$"--target={ProcessId}", "--mount", "systemctl", "--user", "--no-pager", .. arguments],
            _directory.Path,
            new Dictionary<string, string> { ["XDG_RUNTIME_DIR"] = Runtime, ["HOME"] = _directory.Path },
            TimeSpan.FromSeconds(60));
        return log.ToString().Trim();
    }

    public async ValueTask DisposeAsync()
    {
        await _manager.DisposeAsync();
        _directory.Dispose();
    }

    private static string Adapt(IEnumerable<string> lines, Predicate<string> isKept) => string.Join('\n', lines
        .Where(line => isKept(line))
        .Select(static line => line.Replace("/run/fastcgi", "%t/fastcgi", StringComparison.Ordinal)));
}
