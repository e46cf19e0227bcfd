namespace FastCgi.PeerTests.Harness;

/// <summary>PHP-FPM of Debian, with two children.</summary>
public class PhpFpmApplication : PeerApplication
{
    /// <summary>Further lines of the pool.</summary>
    protected virtual string Settings => "";

    public override void Configure(FastCgiHandlerOptions options) => options.DocumentRoot = Sources("php");

    private protected override Task<(string Program, string[] Arguments)> PrepareAsync()
    {
        string program = System.IO.Directory.GetFiles("/usr/sbin", "php-fpm*").Order().LastOrDefault()
            ?? InstalledProgram.Find("php-fpm");
        string file = Path.Combine(Directory, "php-fpm.conf");
        File.WriteAllText(file, $"""
            [global]
            daemonize = no
            error_log = {Path.Combine(Directory, "php-fpm.log")}
            [www]
            {(Environment.IsPrivilegedProcess ? "user = root\ngroup = root" : "")}
            listen = {SocketPath}
            pm = static
            pm.max_children = 2
            pm.status_path = /status
            ping.path = /ping
            {Settings}
            php_admin_flag[log_errors] = on
            php_admin_value[error_log] =

            """);
        string[] asRoot = Environment.IsPrivilegedProcess ? ["--allow-to-run-as-root"] : [];
        return Task.FromResult<(string, string[])>((program, ["--nodaemonize", .. asRoot, "--fpm-config", file]));
    }
}
