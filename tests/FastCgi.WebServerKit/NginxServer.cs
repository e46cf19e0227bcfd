using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>
/// nginx. Where it is root, its worker stays root, since nobody else can enter the directory. It starts the worker
/// once every address is bound, so a taken port shows before that. The error log is from level notice on.
/// </summary>
internal sealed class NginxServer : IWebServerProgram
{
    public string Name => "nginx";

    public string StartedMessage => "start worker process ";

    /// <param name="site">What stands inside <c>http { }</c>; gets the address to listen on.</param>
    public static Task<WebServer> StartAsync(Func<IPEndPoint, string> site) =>
        WebServer.StartAsync(new NginxServer(), site);

    public IEnumerable<string> Arguments(WorkDirectory directory, string file) =>
        ["-e", "stderr", "-p", directory.Path, "-c", file];

    public string Configure(WorkDirectory directory, IPEndPoint endPoint, string site) => $$"""
        {{(Environment.IsPrivilegedProcess ? "user root;" : "")}}
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
            map $http_host $host_port {
                default "";
                ~(?<port_of_host>:[0-9]+)$ $port_of_host;
            }

        {{site}}
        }

        """;
}
