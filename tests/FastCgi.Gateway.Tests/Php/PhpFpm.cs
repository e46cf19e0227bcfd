namespace FastCgi.Gateway.Tests.Php;

/// <summary>PHP-FPM of Debian, with four children, on a unix socket of its own.</summary>
[SupportedOSPlatform("linux")]
internal sealed class PhpFpm : IAsyncDisposable
{
    private readonly ChildProcess _process;

    private PhpFpm(ChildProcess process, string endpoint)
    {
        _process = process;
        Endpoint = endpoint;
    }

    /// <summary>Missing, it fails the test on a build machine and skips it elsewhere.</summary>
    public static string Program => Directory.Exists("/usr/sbin")
        ? Directory.GetFiles("/usr/sbin", "php-fpm*").Order().LastOrDefault() ?? InstalledProgram.Find("php-fpm")
        : InstalledProgram.Find("php-fpm");

    public string Endpoint { get; }

    public string Log => _process.Log.ToString();

    public static async Task<PhpFpm> StartAsync(
        WorkDirectory directory,
        string settings = "",
        IEnumerable<string>? arguments = null,
        IReadOnlyDictionary<string, string>? environment = null)
    {
        string socket = directory.File("php.sock");
        await File.WriteAllTextAsync(directory.File("php-fpm.conf"), $"""
            [global]
            daemonize = no
            error_log = /dev/stderr
            [www]
            {(Environment.IsPrivilegedProcess ? "user = root\ngroup = root" : "")}
            listen = {socket}
            pm = static
            pm.max_children = 4
            php_admin_value[session.save_path] = {directory.Path}
            {settings}

            """);
        string[] asRoot = Environment.IsPrivilegedProcess ? ["--allow-to-run-as-root"] : [];
        var process = ChildProcess.Start(
            Program,
            ["--nodaemonize", .. asRoot, "--fpm-config", directory.File("php-fpm.conf"), .. arguments ?? []],
            directory.Path,
            environment);
        var started = process.Log.FirstAsync(
            static line => line.Contains("ready to handle connections", StringComparison.Ordinal));
        await Task.WhenAny(started, process.Ended).Within("the start of php-fpm", process.Log.ToString);
        Assert.True(started.IsCompleted, $"php-fpm ended at its start: {process.Log}");
        return new PhpFpm(process, $"unix:{socket}");
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}
