using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>
/// Apache httpd with these modules and no others. Where it is root its workers are nobody, since it refuses to serve
/// as root: the sockets of a <see cref="ServedApp"/> let them in.
/// </summary>
/// <param name="modules">As in the names of their files: <c>proxy_fcgi</c>.</param>
internal sealed class ApacheServer(params IReadOnlyList<string> modules) : IWebServerProgram
{
    private const string ModulesDirectory = "/usr/lib/apache2/modules";

    public string Name => "apache2";

    public string StartedMessage => "resuming normal operations";

    /// <param name="modules">In the order to load them in.</param>
    /// <param name="site">Further lines of the main file, which listens already.</param>
    public static Task<WebServer> StartAsync(IReadOnlyList<string> modules, string site) =>
        WebServer.StartAsync(new ApacheServer(modules), _ => site);

    public IEnumerable<string> Arguments(WorkDirectory directory, string file) =>
        ["-D", "FOREGROUND", "-d", directory.Path, "-f", file];

    public string Configure(WorkDirectory directory, IPEndPoint endPoint, string site) => $"""
        ServerRoot {directory.Path}
        DefaultRuntimeDir {directory.Path}
        PidFile {directory.File("apache2.pid")}
        ErrorLog /dev/stderr
        LogLevel notice
        {LoadModules()}
        {(Environment.IsPrivilegedProcess ? "User nobody\nGroup nogroup" : "")}
        Listen {endPoint}
        ServerName localhost
        StartServers 1
        ServerLimit 1
        ThreadsPerChild 64
        MaxRequestWorkers 64
        {site}

        """;

    private string LoadModules() => string.Join('\n', modules.Prepend("mpm_event").Select(static module =>
    {
        var file = $"{ModulesDirectory}/mod_{module}.so";
        InstalledProgram.RequireFile(file);
        return $"LoadModule {module}_module {file}";
    }));
}
