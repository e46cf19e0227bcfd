using System.Net;

namespace FastCgi.WebServerTests.Harness;

/// <summary>
/// HAProxy. As a master with one worker, because it says only then that it has started, and with one thread, because
/// threads share no connections. Stays root where it is root.
/// </summary>
internal sealed class HaproxyServer : IWebServerProgram
{
    public string Name => "haproxy";

    public string StartedMessage => "Loading success";

    /// <param name="site">The <c>fcgi-app</c> and the <c>backend app</c>.</param>
    public static Task<WebServer> StartAsync(string site) => WebServer.StartAsync(new HaproxyServer(), _ => site);

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
        frontend web
            bind {endPoint}
            default_backend app

        """;
}
