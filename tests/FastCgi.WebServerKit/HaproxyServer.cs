using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>
/// HAProxy. As a master with one worker, because it says only then that it has started, and with one thread, because
/// threads share no connections. Stays root where it is root.
/// </summary>
/// <param name="hasFrontend">The site brings its own frontend, such as one with TLS.</param>
internal sealed class HaproxyServer(bool hasFrontend = false) : IWebServerProgram
{
    public string Name => "haproxy";

    public string StartedMessage => "Loading success";

    /// <param name="site">The <c>fcgi-app</c> and the <c>backend app</c>.</param>
    public static Task<WebServer> StartAsync(string site) => WebServer.StartAsync(new HaproxyServer(), _ => site);

    /// <param name="site">The <c>frontend</c> on this address, and what it needs.</param>
    public static Task<WebServer> StartAsync(Func<IPEndPoint, string> site) =>
        WebServer.StartAsync(new HaproxyServer(hasFrontend: true), site);

    public IEnumerable<string> Arguments(WorkDirectory directory, string file) => ["-W", "-db", "-f", file];

    public string Configure(WorkDirectory directory, IPEndPoint endPoint, string site) => $"""
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
        {(hasFrontend ? "" : $"frontend web\n    bind {endPoint}\n    default_backend app")}

        """;
}
