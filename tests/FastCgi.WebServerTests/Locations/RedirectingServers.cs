namespace FastCgi.WebServerTests.Locations;

/// <summary>The web servers with their directives that make one page answer for another.</summary>
internal static class RedirectingServers
{
    private const string Decoded = "The web server sends the new path only decoded";
    private const string Raw = "Without a redirect the application sees the client's spelling";
    private const string Method = "nginx sends the client's method: set `REQUEST_METHOD` to `GET` in `/authz`";

    public static IReadOnlyList<RedirectingServer> All { get; } =
    [
        new("nginx", static app => StartNginxAsync(app, "fastcgi"), NginxRows),
        new("nginx, SCGI", static app => StartNginxAsync(app, "scgi"), NginxRows),
        new("Apache, ProxyPass", static app => StartApacheAsync(app), ApacheRows),
        new("lighttpd", StartLighttpdAsync, LighttpdRows),
        new("Caddy", StartCaddyAsync, CaddyRows),
        new("HAProxy", StartHaproxyAsync, HaproxyRows),
        new("h2o", StartH2oAsync, H2oRows),
    ];

    private static IReadOnlyList<RedirectRow> NginxRows =>
    [
        new("none", "GET /plain/a%20b?x=%2F"),
        new("none", "GET /a%2Fb//c/../d?x"),
        new("error_page 401 = /errors/401;", "GET /admin/customers?x=1"),
        new("error_page 403 /errors/403;", "GET /office/customers?x=1"),
        new("error_page 403 /errors/403;", "HEAD /office/customers"),
        new("error_page 403 /errors/403;", "POST /office/customers"),
        new("error_page 403 = @refused;", "GET /named-error/a%20b?x=1"),
        new("error_page 404 /errors/404?e=1;", "GET /missing/a?x=1"),
        new("error_page 500 /errors/500; fastcgi_intercept_errors on;", "GET /fail") { Count = 2 },
        new("rewrite ^/rw/(.*)$ /new/$1 break;", "GET /rw/a%20b%2Fc?x=%2f"),
        new("rewrite ^/last/(.*)$ /new/$1 last;", "GET /last/a?x=1"),
        new("rewrite ^/added/(.*)$ /new/$1?added=1 break;", "GET /added/a?x=1"),
        new("rewrite ^/dropped/(.*)$ /new/$1? break;", "GET /dropped/a?x=1"),
        new("rewrite ^(/same/.*)$ $1?added=1 break;", "GET /same/a?x=1"),
        new("rewrite ^(/bare/.*)$ $1? break;", "GET /bare/a?x=1"),
        new("try_files $uri /route;", "GET /files/a?x=1"),
        new("try_files $uri /route?p=$uri&$args;", "GET /files-query/a?x=1"),
        new("try_files $uri @app;", "GET /named/a%20b?x=1"),
        new("auth_request /authz;", "GET /guarded/a%20b?x=1") { Count = 2 },
        new("auth_request /authz;", "POST /guarded/a") { Count = 2, Difference = Method },
        new("mirror /mirrored;", "GET /mirroring/a?x=1") { Count = 2 },
        new("ssi on; include virtual=\"/included/frag?x=1\"", "GET /page.shtml?y=2"),
        new("X-Accel-Redirect: /else%20where?z=%2F", "GET /send-elsewhere?x=1"),
    ];

    private static IReadOnlyList<RedirectRow> ApacheRows =>
    [
        new("none", "GET /plain/a%20b?x=%2F"),
        new("none", "GET /a%2Fb?x"),
        new("none", "GET //a//b/c?x") { Difference = Raw },
        new("none", "GET //a//b/../c?x"),
        new("AuthType Basic, ErrorDocument 401 /errors/401", "GET /admin/customers?x=1"),
        new("Require ip, ErrorDocument 403 /errors/403", "GET /office/customers?x=1"),
        new("Require ip, ErrorDocument 403 /errors/403", "HEAD /office/customers"),
        new("Require ip, ErrorDocument 403 /errors/403", "POST /office/customers"),
        new("RewriteRule [R=404], ErrorDocument 404 \"/errors/404?e=1\"", "GET /gone/a?x=1"),
        new("ProxyErrorOverride On, ErrorDocument 500 /errors/500", "GET /fail") { Count = 2 },
        new("RewriteRule ^/pt/(.*)$ /new/$1 [PT]", "GET /pt/a%20b?x=1"),
        new("RewriteRule ^/l/(.*)$ /new/$1 [PT,L]", "GET /l/a%2Fb?x"),
        new("RewriteRule ^/end/(.*)$ /new/$1 [PT,END]", "GET /end/a"),
        new("RewriteRule ^/added/(.*)$ /new/$1?added=1 [PT,QSA]", "GET /added/a?x=1"),
        new("RewriteRule ^(/same/.*)$ $1?added=1 [PT,QSA]", "GET /same/a?x=1"),
        new("RewriteRule ^(/bare/.*)$ $1 [PT,QSD]", "GET /bare/a?x=1"),
        new("RewriteRule ^/p/(.*)$ fcgi://app/new/$1 [P]", "GET /p/a%20b?x=1"),
        new("ProxyPass /strip/ fcgi://app/", "GET /strip/a%20b?x=1"),
        new("ProxyPass /map/ fcgi://app/other/", "GET /map/a?x=1"),
        new("ProxyPass /balanced/ balancer://app/", "GET /balanced/a?x=1"),
        new("FallbackResource /fallback", "GET /tree/a/b?x=1"),
        new("DirectoryIndex /start", "GET /folder/?x=1"),
        new("Alias, then ErrorDocument 404", "GET /tree-of-files/none"),
        new("include virtual=\"/included/frag?x=1\"", "GET /page.shtml?y=2"),
    ];

    private static IReadOnlyList<RedirectRow> LighttpdRows =>
    [
        new("none", "GET /plain/a%20b?x=%2F"),
        new("none", "GET /plain/a?x=%2f") { Difference = Raw },
        new("none", "GET /a%2Fb//c?x") { Difference = Raw },
        new("none", "GET /a%2Fb//c/../d?x"),
        new("server.error-handler = \"/handler?e=1\", url.access-deny", "GET /deny/a?x=1"),
        new("server.error-handler = \"/handler?e=1\", url.access-deny", "HEAD /deny/a"),
        new("server.error-handler = \"/handler?e=1\", url.access-deny", "POST /deny/a"),
        new("server.error-handler-404 = \"/handler404\", url.access-deny", "GET /deny404/a%20b?x"),
        new("server.error-handler = \"/handler401\", auth.require", "GET /auth/a?x"),
        new("url.rewrite-once = ( \"^/rw/(.*)$\" => \"/new/$1\" )", "GET /rw/a%20b%2Fc?x=1"),
        new("url.rewrite-once = ( \"^/drop/\" => \"/new/only\" )", "GET /drop/a?x=1"),
        new("url.rewrite-once = ( … => \"/new/$1?added=1&$3\" )", "GET /added/a?x=1"),
        new("url.rewrite-repeat = ( \"^/again/(.*)$\" => \"/rw/$1\" )", "GET /again/a"),
        new("url.rewrite-if-not-file = ( \"^/files/\" => \"/route\" )", "GET /files/a?x=1"),
    ];

    private static IReadOnlyList<RedirectRow> CaddyRows =>
    [
        new("none", "GET /plain/a%20b?x=%2F"),
        new("none", "GET /a%2Fb//c?x"),
        new("error 403, handle_errors { rewrite * /errors/{err.status_code} }", "GET /guard/a%20b?x=1"),
        new("error 403, handle_errors { rewrite * /errors/{err.status_code} }", "HEAD /guard/a"),
        new("error 403, handle_errors { rewrite * /errors/{err.status_code} }", "POST /guard/a"),
        new("basicauth, handle_errors", "GET /auth/a?x=1"),
        new("rewrite * /new{uri}", "GET /rw/a%20b?x=1"),
        new("rewrite * /new?added=1&{query}", "GET /added/a?x=1"),
        new("rewrite * {path}?added=1", "GET /same/a?x=1"),
        new("handle_path /hp/*", "GET /hp/a%20b?x=1"),
        new("handle_path /hp/*", "GET /hp/a%2Fb") { Difference = Decoded },
        new("uri strip_prefix /sp", "GET /sp/a?x=1"),
        new("uri replace /old/ /new/", "GET /old/a?x=1"),
        new("try_files {path} /there.txt", "GET /files/a?x=1"),
        new("forward_auth { uri /authz }", "POST /forward/a?x=1") { Count = 2 },
    ];

    private static IReadOnlyList<RedirectRow> HaproxyRows =>
    [
        new("none", "GET /plain/a%20b?x=%2F"),
        new("none", "GET //a%2Fb//c?x"),
        new("http-request set-path /new%[path]", "GET /set-path/a%20b?x=1"),
        new("http-request set-uri /new%%20uri?z=1", "GET /set-uri/a?x=1"),
        new("http-request replace-path /replace/(.*) /new/\\1", "GET /replace/a%2Fb?x=1"),
        new("http-request replace-uri .* /denied", "POST /denied-uri/a?x=1"),
        new("http-request set-query added=1", "GET /set-query/a?x=1"),
        new("path-info ^(/app)(/.*)$", "GET /app/a%20b?x=1"),
    ];

    private static IReadOnlyList<RedirectRow> H2oRows =>
    [
        new("none", "GET /plain/a%20b?x=%2F"),
        new("none", "GET /a%2Fb//c?x"),
        new("error-doc: {status: 404, url: /errors/404}", "GET /docs/a?x=1"),
        new("error-doc: {status: 404, url: /errors/404}", "HEAD /docs/a"),
        new("error-doc: {status: 404, url: /errors/404}", "POST /docs/a"),
        new("redirect: {internal: YES, url: /new/}", "GET /internal/a%20b?x=1"),
        new("reproxy: ON, X-Reproxy-URL: http://h/else%20where?z=%2F", "GET /send-elsewhere?x=1"),
    ];

    private static Task<WebServer> StartNginxAsync(RedirectBackEnd app, string module) =>
        WebServerProgram.Nginx.StartAsync(endPoint =>
        {
            var word = app.IsHttp ? "proxy" : module;
            var pass = app.IsHttp ? $"proxy_pass http://unix:{app.SocketPath};"
                : module == "fastcgi" ? $"include /etc/nginx/fastcgi_params; fastcgi_pass unix:{app.SocketPath};"
                : $"include /etc/nginx/scgi_params; scgi_pass unix:{app.ScgiSocketPath};";
            var noLength = word switch
            {
                "proxy" => "proxy_set_header Content-Length \"\";",
                "fastcgi" => "fastcgi_param CONTENT_LENGTH \"\";",
                _ => "scgi_param HTTP_CONTENT_LENGTH \"\";",
            };
            return $$"""
                server {
                    listen {{endPoint}};
                    root {{app.Root}}/site;
                    location / { {{pass}} }
                    location /admin/ { error_page 401 = /errors/401; return 401; }
                    location /office/ { deny all; error_page 403 /errors/403; }
                    location /named-error/ { deny all; error_page 403 = @refused; }
                    location @refused { {{pass}} }
                    location /missing/ { error_page 404 /errors/404?e=1; return 404; }
                    location = /fail { error_page 500 /errors/500; {{word}}_intercept_errors on; {{pass}} }
                    location /rw/ { rewrite ^/rw/(.*)$ /new/$1 break; {{pass}} }
                    location /last/ { rewrite ^/last/(.*)$ /new/$1 last; }
                    location /added/ { rewrite ^/added/(.*)$ /new/$1?added=1 break; {{pass}} }
                    location /dropped/ { rewrite ^/dropped/(.*)$ /new/$1? break; {{pass}} }
                    location /same/ { rewrite ^(/same/.*)$ $1?added=1 break; {{pass}} }
                    location /bare/ { rewrite ^(/bare/.*)$ $1? break; {{pass}} }
                    location /files/ { try_files $uri /route; }
                    location /files-query/ { try_files $uri /route?p=$uri&$args; }
                    location /named/ { try_files $uri @app; }
                    location @app { {{pass}} }
                    location /guarded/ { auth_request /authz; {{pass}} }
                    location = /authz { internal; {{pass}} {{word}}_pass_request_body off; {{noLength}} }
                    location /mirroring/ { mirror /mirrored; {{pass}} }
                    location = /mirrored { internal; {{pass}} }
                    location = /page.shtml { ssi on; ssi_types *; }
                }
                """;
        });

    private static Task<WebServer> StartApacheAsync(RedirectBackEnd app)
    {
        var url = app.IsHttp ? $"unix:{app.SocketPath}|http://app" : $"unix:{app.SocketPath}|fcgi://app";
        var apache = WebServerProgram.Apache(
            "authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "authz_host", "alias", "dir", "mime",
            "filter", "include", "rewrite", "slotmem_shm", "proxy", app.IsHttp ? "proxy_http" : "proxy_fcgi",
            "proxy_balancer", "lbmethod_byrequests");
        return apache.StartAsync(
            $$"""
            DocumentRoot {{app.Root}}/site
            AllowEncodedSlashes NoDecode
            TypesConfig /dev/null
            <Directory {{app.Root}}/site>
                Require all granted
                Options +Includes
                AddType text/html .shtml
                AddOutputFilter INCLUDES .shtml
            </Directory>
            ErrorDocument 401 /errors/401
            ErrorDocument 403 /errors/403
            ErrorDocument 404 "/errors/404?e=1"
            ErrorDocument 500 /errors/500
            <Location /admin>
                AuthType Basic
                AuthName members
                AuthBasicProvider file
                AuthUserFile {{app.Root}}/users
                Require valid-user
            </Location>
            <Location /office>
                Require ip 192.0.2.1
            </Location>
            <Location /tree>
                FallbackResource /fallback
            </Location>
            <Location /folder>
                DirectoryIndex /start
            </Location>
            <Location /fail>
                ProxyErrorOverride On
            </Location>
            <Proxy balancer://app>
                BalancerMember {{url}}
            </Proxy>
            RewriteEngine on
            RewriteRule ^/gone/ - [R=404]
            RewriteRule ^/pt/(.*)$ /new/$1 [PT]
            RewriteRule ^/l/(.*)$ /new/$1 [PT,L]
            RewriteRule ^/end/(.*)$ /new/$1 [PT,END]
            RewriteRule ^/added/(.*)$ /new/$1?added=1 [PT,QSA]
            RewriteRule ^(/same/.*)$ $1?added=1 [PT,QSA]
            RewriteRule ^(/bare/.*)$ $1 [PT,QSD]
            RewriteRule ^/p/(.*)$ {{url}}/new/$1 [P]
            Alias /tree-of-files {{app.Root}}/site
            ProxyPass /page.shtml !
            ProxyPass /tree !
            ProxyPass /folder !
            ProxyPass /tree-of-files !
            ProxyPass /strip/ {{url}}/
            ProxyPass /map/ {{url}}/other/
            ProxyPass /balanced/ balancer://app/
            ProxyPass / {{url}}/
            """);
    }

    private static Task<WebServer> StartLighttpdAsync(RedirectBackEnd app)
    {
        var pass = app.IsHttp
            ? $$"""proxy.server = ( "/" => (( "host" => "{{app.SocketPath}}" )) )"""
            : $$"""
                fastcgi.server = ( "/" => (( "socket" => "{{app.SocketPath}}", "check-local" => "disable",
                    "fix-root-scriptname" => "enable" )) )
                """;
        return WebServerProgram.Lighttpd.StartAsync($$"""
            server.modules += ( "mod_rewrite", "mod_access", "mod_auth", "mod_authn_file", "mod_proxy", "mod_fastcgi" )
            {{pass}}
            $HTTP["url"] =~ "^/deny/" { server.error-handler = "/handler?e=1" url.access-deny = ( "" ) }
            $HTTP["url"] =~ "^/deny404/" { server.error-handler-404 = "/handler404" url.access-deny = ( "" ) }
            $HTTP["url"] =~ "^/auth/" {
                server.error-handler = "/handler401"
                auth.backend = "plain"
                auth.backend.plain.userfile = "{{app.Root}}/users"
                auth.require = ( "/auth/" => ( "method" => "basic", "realm" => "x", "require" => "valid-user" ) )
            }
            url.rewrite-once = (
                "^/rw/(.*)$" => "/new/$1", "^/drop/" => "/new/only",
                "^/added/([^?]*)(\?(.*))?" => "/new/$1?added=1&$3" )
            url.rewrite-repeat = ( "^/again/(.*)$" => "/rw/$1" )
            $HTTP["url"] =~ "^/files/" { url.rewrite-if-not-file = ( "^/files/" => "/route" ) }
            """);
    }

    private static Task<WebServer> StartCaddyAsync(RedirectBackEnd app)
    {
        var pass = app.IsHttp ? $"reverse_proxy unix/{app.SocketPath}"
            : $"reverse_proxy unix/{app.SocketPath} {{\ntransport fastcgi\n}}";
        return WebServerProgram.StartCaddyAsync($$"""
            handle /guard/* {
                error 403
            }
            handle /auth/* {
                basicauth {
                    ann $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG
                }
            }
            handle /rw/* {
                rewrite * /new{uri}
                {{pass}}
            }
            handle /added/* {
                rewrite * /new?added=1&{query}
                {{pass}}
            }
            handle /same/* {
                rewrite * {path}?added=1
                {{pass}}
            }
            handle_path /hp/* {
                {{pass}}
            }
            handle /sp/* {
                uri strip_prefix /sp
                {{pass}}
            }
            handle /old/* {
                uri replace /old/ /new/
                {{pass}}
            }
            handle /files/* {
                root * {{app.Root}}/site
                try_files {path} /there.txt
                {{pass}}
            }
            handle /forward/* {
                forward_auth unix/{{app.SocketPath}} {
                    uri /authz
                    {{(app.IsHttp ? "" : "transport fastcgi")}}
                }
                {{pass}}
            }
            handle {
                {{pass}}
            }
            handle_errors {
                rewrite * /errors/{err.status_code}
                {{pass}}
            }
            """);
    }

    private static Task<WebServer> StartHaproxyAsync(RedirectBackEnd app) => WebServerProgram.Haproxy.StartAsync(endPoint => $$"""
        fcgi-app app
            docroot /srv/app
            path-info ^(/app)(/.*)$
        backend app
            {{(app.IsHttp ? "" : "use-fcgi-app app")}}
            server s1 unix@{{app.SocketPath}} {{(app.IsHttp ? "" : "proto fcgi")}}
        frontend redirecting
            bind {{endPoint}}
            http-request set-path /new%[path] if { path_beg /set-path/ }
            http-request set-uri /new%%20uri?z=1 if { path_beg /set-uri/ }
            http-request replace-path /replace/(.*) /new/\1 if { path_beg /replace/ }
            http-request replace-uri .* /denied if { path_beg /denied-uri/ }
            http-request set-query added=1 if { path_beg /set-query/ }
            default_backend app
        """);

    private static Task<WebServer> StartH2oAsync(RedirectBackEnd app) =>
        WebServerProgram.H2o.StartAsync(endPoint => $$"""
            listen:
              host: {{endPoint.Address}}
              port: {{endPoint.Port}}
            proxy.preserve-host: ON
            hosts:
              "h":
                paths:
                  "/docs":
                    file.dir: {{app.Root}}/site
                    error-doc:
                      - {status: 404, url: /errors/404}
                  "/internal":
                    redirect: {status: 307, internal: YES, url: /new/}
                  "/":
                    reproxy: ON
                    {{(app.IsHttp ? $"proxy.reverse.url: \"http://[unix:{app.SocketPath}]/\"" : $"fastcgi.connect: {{port: {app.SocketPath}, type: unix}}")}}
            """);
}

/// <summary>A directive that makes a web server ask for another page than the client, and a request that meets it.</summary>
internal sealed record RedirectRow(string Directive, string Request)
{
    /// <summary>How many requests the application gets of it: two where the web server asks for a permission first.</summary>
    public int Count { get; init; } = 1;

    /// <summary>Why the application sees another path than an HTTP back end; null where both see the same.</summary>
    public string? Difference { get; init; }
}

/// <summary>A web server with one configuration for both back ends, and the requests that are sent through it.</summary>
/// <param name="Start">Starts it in front of the application, in a folder with the files that it needs.</param>
internal sealed record RedirectingServer(
    string Name, Func<RedirectBackEnd, Task<WebServer>> Start, IReadOnlyList<RedirectRow> Rows);
