using System.Text;

namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>
/// The file of the nginx in front: for each target an upstream and a port, and beyond the protocol no difference.
/// </summary>
internal static class NginxConfiguration
{
    private static readonly string[] s_params =
    [
        "QUERY_STRING $query_string", "REQUEST_METHOD $request_method", "CONTENT_TYPE $content_type",
        "CONTENT_LENGTH $content_length",
        "SCRIPT_NAME $fastcgi_script_name",
        "REQUEST_URI $request_uri", "DOCUMENT_URI $document_uri", "DOCUMENT_ROOT $document_root",
        "SERVER_PROTOCOL $server_protocol", "REQUEST_SCHEME $scheme", "HTTPS $https if_not_empty",
        "GATEWAY_INTERFACE CGI/1.1", "SERVER_SOFTWARE nginx/$nginx_version", "REMOTE_ADDR $remote_addr",
        "REMOTE_PORT $remote_port", "SERVER_ADDR $server_addr", "SERVER_PORT $server_port", "SERVER_NAME $server_name",
        "HTTP_HOST $http_host",
    ];

    public static string Write(
        string directory, IEnumerable<(RunningTarget Target, int Port)> targets, bool keepConnections, int connections)
    {
        var text = new StringBuilder($$"""
            {{(Environment.IsPrivilegedProcess ? "user root;" : "")}}
            daemon off;
            worker_processes auto;
            worker_rlimit_nofile 65536;
            pid {{directory}}/nginx.pid;
            error_log stderr error;
            events { worker_connections 8192; }
            http {
                access_log off;
                keepalive_requests 1000000000;
                client_body_temp_path {{directory}}/body;
                fastcgi_temp_path {{directory}}/fastcgi;
                proxy_temp_path {{directory}}/proxy;
                scgi_temp_path {{directory}}/scgi;
                uwsgi_temp_path {{directory}}/uwsgi;
                client_max_body_size 0;
                # Bodies pass through: what is measured is the back end, and not the disk behind nginx' buffers.
                fastcgi_request_buffering off;
                proxy_request_buffering off;
                # Not with SCGI: nginx 1.22 then sends a wrong CONTENT_LENGTH.
                scgi_request_buffering on;
                fastcgi_max_temp_file_size 0;
                proxy_max_temp_file_size 0;
                scgi_max_temp_file_size 0;
                fastcgi_buffer_size 32k;
                proxy_buffer_size 32k;
                scgi_buffer_size 32k;
                fastcgi_buffers 16 32k;
                proxy_buffers 16 32k;
                scgi_buffers 16 32k;

            """);
        foreach (var (target, port) in targets)
        {
            text.Append(Site(target, port, keepConnections, connections));
        }

        return text.AppendLine("}").ToString();
    }

    private static string Site(RunningTarget target, int port, bool keepConnections, int connections) => $$"""

            upstream target{{port}} {
                {{string.Join(' ', target.Addresses.Select(static address => $"server {address.InNginx} max_fails=0;"))}}
                {{(keepConnections ? Keep(connections) : "")}}
            }
            server {
                listen 127.0.0.1:{{port}} reuseport backlog=4096;
                root {{Path.GetDirectoryName(target.Target.Script)}};
                location / {
                    {{Pass(target.Target, port, keepConnections)}}
                }
                {{(target.Target.Protocol == TargetProtocol.Http ? Upgrade(port) : "")}}
            }

        """;

    private static string Keep(int connections) =>
        $"keepalive {connections}; keepalive_requests 1000000000; keepalive_timeout 600s;";

    private static string Pass(Target target, int port, bool keepConnections) =>
        target.Protocol switch
        {
            TargetProtocol.FastCgi => FastCgiPass(Path.GetFileName(target.Script), port, keepConnections),
            TargetProtocol.Scgi => ScgiPass(port),
            _ => ProxyPass(port, keepConnections),
        };

    private static string FastCgiPass(string script, int port, bool keepConnections) => $"""
        {string.Join('\n', s_params.Select(static param => $"fastcgi_param {param};"))}
        fastcgi_param SCRIPT_FILENAME $document_root/{script};
        fastcgi_index {script};
        fastcgi_keep_conn {(keepConnections ? "on" : "off")};
        fastcgi_pass target{port};
        """;

    /// <summary>The same params; nginx says the length by itself. There is nothing to keep.</summary>
    private static string ScgiPass(int port) => $"""
        {string.Join('\n', s_params.Where(static param => !param.StartsWith("CONTENT_LENGTH ", StringComparison.Ordinal))
            .Select(static param => $"scgi_param {param};"))}
        scgi_pass target{port};
        """;

    /// <summary>What every guide has for WebSockets. With SCGI nginx does it by itself.</summary>
    private static string Upgrade(int port) => $$"""
        location {{EchoWorkload.Path}} {
            proxy_set_header Host $http_host;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_pass http://target{{port}};
        }
        """;

    /// <summary>The usual ones: what an application behind a proxy needs to know its client by.</summary>
    private static string ProxyPass(int port, bool keepConnections) => $"""
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        {(keepConnections ? "proxy_http_version 1.1; proxy_set_header Connection \"\";" : "")}
        proxy_pass http://target{port};
        """;
}
