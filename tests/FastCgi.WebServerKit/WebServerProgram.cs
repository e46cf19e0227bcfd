namespace FastCgi.WebServerKit;

/// <summary>One of Debian's web servers: how it is started. Started as root, it stays root.</summary>
/// <param name="StartedMessage">
/// A part of the line that it prints once every address is bound, and never when one is taken.
/// </param>
/// <param name="Arguments">Keep it in the foreground, with its error log on standard error, given its file.</param>
/// <param name="Configure">The main file: everything that a private instance needs around the site under test.</param>
internal sealed record WebServerProgram(
    string Name,
    string StartedMessage,
    Func<WorkDirectory, string, string[]> Arguments,
    Func<WorkDirectory, IPEndPoint, string, string> Configure)
{
    private const string ApacheModules = "/usr/lib/apache2/modules";

    /// <summary>How many seconds an application may be silent: nginx' own minute, on a quiet machine.</summary>
    private static readonly int s_silence = (int)Deadline.Of(TimeSpan.FromMinutes(1)).TotalSeconds;

    /// <summary>
    /// The site stands inside <c>http { }</c>. nginx starts its worker once every address is bound, so a taken port
    /// shows before that. The error log is from level notice on.
    /// </summary>
    public static WebServerProgram Nginx { get; } = new(
        "nginx",
        "start worker process ",
        static (directory, file) => ["-e", "stderr", "-p", directory.Path, "-c", file],
        static (directory, _, site) => $$"""
            {{(System.Environment.IsPrivilegedProcess ? "user root;" : "")}}
            daemon off;
            worker_processes 1;
            pid {{directory.File("nginx.pid")}};
            error_log stderr notice;
            events { worker_connections 2048; }
            http {
                access_log off;
                default_type application/octet-stream;
                client_body_temp_path {{directory.File("body")}};
                fastcgi_temp_path {{directory.File("fastcgi")}};
                proxy_temp_path {{directory.File("proxy")}};
                scgi_temp_path {{directory.File("scgi")}};
                uwsgi_temp_path {{directory.File("uwsgi")}};
                fastcgi_read_timeout {{s_silence}}s;
                proxy_read_timeout {{s_silence}}s;
                scgi_read_timeout {{s_silence}}s;
                map $http_host $host_port {
                    default "";
                    ~(?<port_of_host>:[0-9]+)$ $port_of_host;
                }

            {{site}}
            }

            """);

    /// <summary>With the modules that the site names.</summary>
    public static WebServerProgram Lighttpd { get; } = new(
        "lighttpd",
        "server started",
        static (_, file) => ["-D", "-f", file],
        static (directory, endPoint, site) => $"""
            server.document-root = "{directory.Subdirectory("root")}"
            server.upload-dirs = ( "{directory.Subdirectory("uploads")}" )
            server.bind = "{endPoint.Address}"
            server.port = {endPoint.Port}
            {site}

            """);

    /// <summary>Serves nothing but the site: no other port, no certificates of its own, no interface to control it.</summary>
    public static WebServerProgram Caddy { get; } = new(
        "caddy",
        "serving initial configuration",
        static (_, file) => ["run", "--config", file, "--adapter", "caddyfile"],
        static (_, _, site) => $$"""
            {
                admin off
                auto_https off
            }
            {{site}}

            """)
    {
        Environment = static directory => new Dictionary<string, string>
        {
            ["HOME"] = directory.Path,
            ["XDG_CONFIG_HOME"] = directory.Path,
            ["XDG_DATA_HOME"] = directory.Path,
        },
    };

    /// <summary>
    /// As a master with one worker, because it says only then that it has started, and with one thread, because threads
    /// share no connections. A site without a <c>frontend</c> has a <c>backend app</c>.
    /// </summary>
    public static WebServerProgram Haproxy { get; } = new(
        "haproxy",
        "Loading success",
        static (_, file) => ["-W", "-db", "-f", file],
        static (_, endPoint, site) => $"""
            global
                log stderr format raw daemon notice
                maxconn 1000
                nbthread 1
            defaults
                mode http
                log global
                option http-no-delay
                timeout connect 30s
                timeout client 2m
                timeout server 2m
            {site}
            {($"\n{site}".Contains("\nfrontend ", StringComparison.Ordinal)
                ? ""
                : $"frontend web\n    bind {endPoint}\n    default_backend app")}

            """);

    /// <summary>With one thread, because threads share no connections.</summary>
    public static WebServerProgram H2o { get; } = new(
        "h2o",
        "is ready to serve requests",
        static (_, file) => ["-m", "worker", "-c", file],
        static (directory, _, site) => $"""
            num-threads: 1
            temp-buffer-path: {directory.Path}
            {site}

            """);

    /// <summary>Variables that keep it from writing anywhere but into its directory.</summary>
    public Func<WorkDirectory, IReadOnlyDictionary<string, string>>? Environment { get; private init; }

    /// <summary>
    /// Apache httpd with these modules and no others. Where it is root its workers are nobody, since it refuses to serve
    /// as root: the sockets of a <see cref="ServedApp"/> let them in.
    /// </summary>
    /// <param name="modules">In the order to load them in, as in the names of their files: <c>proxy_fcgi</c>.</param>
    public static WebServerProgram Apache(params IReadOnlyList<string> modules) => new(
        "apache2",
        "resuming normal operations",
        static (directory, file) => ["-D", "FOREGROUND", "-d", directory.Path, "-f", file],
        (directory, endPoint, site) => $"""
            ServerRoot {directory.Path}
            DefaultRuntimeDir {directory.Path}
            PidFile {directory.File("apache2.pid")}
            ErrorLog /dev/stderr
            LogLevel notice
            {string.Join('\n', modules.Prepend("mpm_event").Select(LoadModule))}
            {(System.Environment.IsPrivilegedProcess ? "User nobody\nGroup nogroup" : "")}
            Listen {endPoint}
            ServerName localhost
            StartServers 1
            ServerLimit 1
            ThreadsPerChild 64
            MaxRequestWorkers 64
            {site}

            """);

    /// <inheritdoc cref="WebServer.StartAsync(WebServerProgram, Func{IPEndPoint, string})"/>
    public Task<WebServer> StartAsync(Func<IPEndPoint, string> site) => WebServer.StartAsync(this, site);

    /// <param name="site">The site where the main file listens already.</param>
    public Task<WebServer> StartAsync(string site) => StartAsync(_ => site);

    /// <summary>Caddy with one site, for HTTP.</summary>
    public static Task<WebServer> StartCaddyAsync(string site) => Caddy.StartAsync(endPoint => $$"""
        http://:{{endPoint.Port}} {
        bind {{endPoint.Address}}
        {{site}}
        }
        """);

    private static string LoadModule(string module)
    {
        var file = $"{ApacheModules}/mod_{module}.so";
        InstalledProgram.RequireFile(file);
        return $"LoadModule {module}_module {file}";
    }
}
