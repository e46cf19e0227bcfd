namespace FastCgi.WebServerTests.Harness;

/// <summary>The main file: everything that a private nginx needs around the site under test.</summary>
internal static class NginxConfiguration
{
    public static string Write(string directory, string site) => $$"""
        {{(Environment.IsPrivilegedProcess ? "user root;" : "")}}
        daemon off;
        worker_processes 1;
        pid {{directory}}/nginx.pid;
        error_log stderr notice;
        events { worker_connections 2048; }
        http {
            access_log off;
            default_type application/octet-stream;
            client_body_temp_path {{directory}}/body;
            fastcgi_temp_path {{directory}}/fastcgi;
            proxy_temp_path {{directory}}/proxy;
            scgi_temp_path {{directory}}/scgi;
            uwsgi_temp_path {{directory}}/uwsgi;

        {{site}}
        }

        """;
}
