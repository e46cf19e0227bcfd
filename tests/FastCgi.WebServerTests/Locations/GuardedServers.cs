namespace FastCgi.WebServerTests.Locations;

/// <summary>Web servers that refuse <c>/admin</c> and pass everything else to the application.</summary>
internal static class GuardedServers
{
    public static IReadOnlyDictionary<string, Func<ServedApp, Task<WebServer>>> All { get; } =
        new Dictionary<string, Func<ServedApp, Task<WebServer>>>
        {
            ["nginx"] = static app => NginxServer.StartAsync(endPoint => $$"""
                server {
                    listen {{endPoint}};
                    location /admin { deny all; }
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_pass unix:{{app.SocketPath}};
                    }
                }
                """),
            ["Apache"] = static app => ApacheServer.StartAsync(["authz_core", "proxy", "proxy_fcgi"], $"""
                AllowEncodedSlashes NoDecode
                <Location "/admin">
                    Require all denied
                </Location>
                ProxyPass "/" "unix:{app.SocketPath}|fcgi://app/"
                """),
            ["lighttpd"] = static app => LighttpdServer.StartAsync($$"""
                server.modules += ( "mod_access", "mod_fastcgi" )
                $HTTP["url"] =~ "^/admin" { url.access-deny = ( "" ) }
                fastcgi.server = ( "/" => (( "socket" => "{{app.SocketPath}}", "check-local" => "disable",
                    "fix-root-scriptname" => "enable" )) )
                """),
            ["HAProxy"] = static app => HaproxyServer.StartAsync(endPoint => $"""
                fcgi-app app
                    docroot /srv/app
                backend app
                    use-fcgi-app app
                    server s1 unix@{app.SocketPath} proto fcgi
                frontend guarded
                    bind {endPoint}
                    http-request deny if {"{ path_beg /admin }"}
                    default_backend app
                """),
            ["Caddy"] = static app => WebServer.StartAsync(new CaddyServer(), endPoint => $$"""
                http://:{{endPoint.Port}} {
                    bind {{endPoint.Address}}
                    @admin path /admin*
                    respond @admin 403
                    reverse_proxy unix/{{app.SocketPath}} {
                        transport fastcgi
                    }
                }
                """),

            // It has no word for "refuse": an empty folder has no page to show.
            ["h2o"] = static app => WebServer.StartAsync(new H2oServer(), endPoint => $"""
                listen:
                  host: {endPoint.Address}
                  port: {endPoint.Port}
                hosts:
                  default:
                    paths:
                      "/admin":
                        file.dir: /var/empty
                      "/":
                        fastcgi.connect:
                          port: {app.SocketPath}
                          type: unix
                """),
        };
}
