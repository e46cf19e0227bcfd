using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Locations;

/// <summary>Requests that pass a location which refuses <c>/admin</c>: see docs/evidence/locations.md.</summary>
public sealed class LocationTests
{
    internal static EvidencePage Page { get; } = new("locations.md", "FASTCGI_ACCEPT_LOCATIONS");

    private static readonly string[] s_targets =
    [
        "/admin/secret", "/ADMIN/secret", "//admin/secret", "/./admin/secret", "/x/../admin/secret", "/x//../admin/secret",
        "/%61dmin/secret", "/%2Fadmin/secret", "/admin%2Fsecret", "/x%2F..%2Fadmin/secret", "/x/%2e%2e/admin/secret",
        "/admin;v=1/secret", "/admin%20/secret", "/admin./secret", "/administrators", "/admin/../public",
        "/admin//../public", "/admin//../secret/../admin/secret", "/admin/%2e%2e/public", "/admin/x%2F..%2F..%2Fpublic",
        "/admin/x/..%2F..%2Fpublic", "http://h/admin/secret",
    ];

    [Fact]
    public async Task The_published_table_is_the_one_of_the_web_servers()
    {
        var free = new Dictionary<string, string[]>();
        var strict = new Dictionary<string, string[]>();
        foreach (var (name, start) in GuardedServers.All)
        {
            free[name] = await AskAsync(start, requiresNormalizedPath: false);
            strict[name] = await AskAsync(start, requiresNormalizedPath: true);
        }

        // With the option no path reaches the application by another meaning than the web server's, but for its case.
        foreach (var (name, outcomes) in strict)
        {
            Assert.All(
                s_targets.Zip(outcomes).Where(pair => pair.First != "/ADMIN/secret"),
                pair => Assert.False(IsAdmin(pair.Second), $"{name}: {pair.First} reaches {pair.Second}"));
        }

        Page.AssertHas(Write(free, strict), "of paths ");
    }

    private static async Task<string[]> AskAsync(Func<ServedApp, Task<WebServer>> start, bool requiresNormalizedPath)
    {
        await using var site = await Site.StartAsync(
            start,
            app => app.Run(context => context.Response.WriteAsync($"path {context.Request.Path.Value}")),
            builder => builder.WebHost.ConfigureFastCgi(
                options => options.RequireNormalizedPath = requiresNormalizedPath));
        var outcomes = new List<string>();
        foreach (var target in s_targets)
        {
            var response = await site.AskAsync(target);
            outcomes.Add(response.Text.StartsWith("path ", StringComparison.Ordinal)
                ? response.Text["path ".Length..]
                : $"{response.Status}");
        }

        return [.. outcomes];
    }

    /// <summary>Routing ignores case.</summary>
    private static bool IsAdmin(string path) => path.StartsWith("/admin/", StringComparison.OrdinalIgnoreCase);

    private static string Write(Dictionary<string, string[]> free, Dictionary<string, string[]> strict)
    {
        var text = new StringBuilder("| the client asks for |").AppendJoin("|", free.Keys.Select(name => $" {name} "))
            .AppendLine("|").Append("| --- |").AppendJoin("|", free.Keys.Select(static _ => " --- ")).AppendLine("|");
        for (var i = 0; i < s_targets.Length; i++)
        {
            var row = i;
            text.Append("| `").Append(s_targets[i]).Append("` |")
                .AppendJoin("|", free.Keys.Select(name => $" {Cell(free[name][row], strict[name][row])} ")).AppendLine("|");
        }

        return text.ToString();
    }

    private static string Cell(string free, string strict)
    {
        var shown = !free.StartsWith('/') ? free : IsAdmin(free) ? $"**`{free}`**" : $"`{free}`";
        return strict == free ? shown : $"{shown}, {strict}";
    }
}

/// <summary>Web servers that refuse <c>/admin</c> and pass everything else to the application.</summary>
internal static class GuardedServers
{
    public static IReadOnlyDictionary<string, Func<ServedApp, Task<WebServer>>> All { get; } =
        new Dictionary<string, Func<ServedApp, Task<WebServer>>>
        {
            ["nginx"] = static app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
                server {
                    listen {{endPoint}};
                    location /admin { deny all; }
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_pass unix:{{app.SocketPath}};
                    }
                }
                """),
            ["Apache"] = static app => WebServerProgram.Apache("authz_core", "proxy", "proxy_fcgi").StartAsync($"""
                AllowEncodedSlashes NoDecode
                <Location "/admin">
                    Require all denied
                </Location>
                ProxyPass "/" "unix:{app.SocketPath}|fcgi://app/"
                """),
            ["lighttpd"] = static app => WebServerProgram.Lighttpd.StartAsync($$"""
                server.modules += ( "mod_access", "mod_fastcgi" )
                $HTTP["url"] =~ "^/admin" { url.access-deny = ( "" ) }
                fastcgi.server = ( "/" => (( "socket" => "{{app.SocketPath}}", "check-local" => "disable",
                    "fix-root-scriptname" => "enable" )) )
                """),
            ["HAProxy"] = static app => WebServerProgram.Haproxy.StartAsync(endPoint => $"""
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
            ["Caddy"] = static app => WebServerProgram.StartCaddyAsync($$"""
                @admin path /admin*
                respond @admin 403
                reverse_proxy unix/{{app.SocketPath}} {
                    transport fastcgi
                }
                """),

            // It has no word for "refuse": an empty folder has no page to show.
            ["h2o"] = static app => WebServerProgram.H2o.StartAsync(endPoint => $"""
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
