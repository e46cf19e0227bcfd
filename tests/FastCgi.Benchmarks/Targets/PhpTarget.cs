namespace FastCgi.Benchmarks.Targets;

/// <summary>php-fpm with its opcode cache.</summary>
/// <param name="environment">Further variables that the script sees.</param>
internal sealed class PhpTarget(
    string peer = "php", string script = "index.php", Dictionary<string, string>? environment = null, string name = "php-fpm")
    : Target(name)
{
    private readonly Dictionary<string, string> _environment = environment ?? [];

    private string _program = "";

    /// <summary>What the script needs, and the package of Debian that has it; null when it needs nothing.</summary>
    public (string Name, string Package)? Module { get; init; }

    public override string Script => Path.Combine(PeerDirectory(peer), script);

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find("php-fpm*") is not { } program)
        {
            return InstalledProgram.IsMissing("php-fpm", "php-fpm");
        }

        if (Module is { } module && !(await InstalledProgram.RunAsync(new(program, ["-m"]))).Output
            .Split('\n', StringSplitOptions.TrimEntries).Contains(module.Name, StringComparer.OrdinalIgnoreCase))
        {
            return InstalledProgram.IsMissing($"php-fpm's module {module.Name}", module.Package);
        }

        if (!File.Exists(Script))
        {
            return $"{Script} is not there";
        }

        _program = program;
        Description = await InstalledProgram.VersionAsync(program, "-v");
        return null;
    }

    /// <summary>
    /// A child keeps its connection as long as the web server does, and serves nobody else meanwhile. Twice as many
    /// as there can be requests: nginx' workers do not share the connections that they keep.
    /// </summary>
    public override ProcessCommand Command(TargetSetup setup)
    {
        string file = Path.Combine(setup.Directory, "php-fpm.conf");
        File.WriteAllText(file, $"""
            [global]
            daemonize = no
            error_log = /dev/stderr
            log_level = warning
            [www]
            {(Environment.IsPrivilegedProcess ? "user = root\ngroup = root" : "")}
            listen = {setup.SocketPath}
            listen.mode = 0666
            listen.backlog = 4096
            pm = static
            pm.max_children = {(setup.Connections * 2) + Environment.ProcessorCount}
            {string.Join('\n', _environment.Select(static pair => $"env[{pair.Key}] = {pair.Value}"))}
            php_admin_value[opcache.enable] = 1
            php_admin_value[opcache.validate_timestamps] = 0
            php_admin_value[output_buffering] = 4096
            php_admin_value[memory_limit] = 128M
            php_admin_value[post_max_size] = 64M

            """);
        string[] asRoot = Environment.IsPrivilegedProcess ? ["--allow-to-run-as-root"] : [];
        return new(_program, ["--nodaemonize", .. asRoot, "--fpm-config", file]);
    }
}
