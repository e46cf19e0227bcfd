using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>nginx with a location for each way in which it sends a request on to another path of the application.</summary>
internal sealed class RedirectedSite(ServedApp app, WebServer nginx, WorkDirectory files) : IAsyncDisposable
{
    public WebServer Nginx { get; } = nginx;

    public static async Task<RedirectedSite> StartAsync(
        BackEndKind kind, Action<IApplicationBuilder>? first = null, bool mergesSlashes = true)
    {
        var backEnd = IBackEnd.Of(kind);
        var app = await ServedApp.StartAsync(backEnd, app =>
        {
            first?.Invoke(app);
            app.Run(ShowAsync);
        });
        var files = new WorkDirectory();
        try
        {
            Directory.CreateDirectory(files.File("files"));
            await File.WriteAllTextAsync(Path.Combine(files.File("files"), "there.txt"), "a file");
            var nginx = await NginxServer.StartAsync(endPoint => Write(
                $"{endPoint}", backEnd, app.SocketPath, files.Path, mergesSlashes));
            return new RedirectedSite(app, nginx, files);
        }
        catch
        {
            files.Dispose();
            await app.DisposeAsync();
            throw;
        }
    }

    public async Task<RawResponse> SendAsync(string request)
    {
        await using var client = await RawHttpClient.ConnectAsync(Nginx.EndPoint);
        await client.SendAsync(request);
        return await client.ReadResponseAsync();
    }

    public async Task<string> SeenAsync(string target)
    {
        var response = await SendAsync($"GET {target} HTTP/1.1\r\nHost: h\r\n\r\n");
        return $"{response.Status} {response.Text}";
    }

    public async ValueTask DisposeAsync()
    {
        await Nginx.DisposeAsync();
        await app.DisposeAsync();
        files.Dispose();
    }

    private static Task ShowAsync(HttpContext context)
    {
        var request = context.Request;
        if (request.Path == "/send-elsewhere")
        {
            context.Response.Headers["X-Accel-Redirect"] = "/else%20where?z=%2F";
            return Task.CompletedTask;
        }

        var target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        return context.Response.WriteAsync($"{request.PathBase.Value}|{request.Path.Value}|{request.QueryString.Value}|{target}");
    }

    private static string Write(string endPoint, IBackEnd backEnd, string socket, string root, bool mergesSlashes)
    {
        var location = backEnd.Location("app", NginxSettings.Default);
        var isKestrel = location.Contains("proxy_pass", StringComparison.Ordinal);
        var word = isKestrel ? "proxy" : location.Contains("scgi_pass", StringComparison.Ordinal) ? "scgi" : "fastcgi";
        return $$"""
            upstream app {
                server unix:{{socket}};
                {{(backEnd.Keepalive is { } count ? $"keepalive {count};" : "")}}
            }
            server {
                listen {{endPoint}};
                server_name _;
                merge_slashes {{(mergesSlashes ? "on" : "off")}};
                root {{root}};
                location / {
                    {{location}}
                }
                location /rw/ {
                    rewrite ^/rw/(.*)$ /new/$1 break;
                    {{location}}
                }
                location /added/ {
                    rewrite ^/added/(.*)$ /new/$1?added=1 break;
                    {{location}}
                }
                location /dropped/ {
                    rewrite ^/dropped/(.*)$ /new/$1? break;
                    {{location}}
                }
                location /last/ {
                    rewrite ^/last/(.*)$ /new/$1 last;
                }
                location /base/ {
                    rewrite ^/base/(.*)$ /$1 break;
                    {{(isKestrel ? "" : $"{word}_param ASPNETCORE_PATHBASE /base;")}}
                    {{location}}
                }
                location /missing/ {
                    error_page 404 = /handler;
                    return 404;
                }
                location /files/ {
                    try_files $uri /route;
                }
                location /named/ {
                    try_files $uri @app;
                }
                location @app {
                    {{location}}
                }
                location /php/ {
                    try_files $uri /index.php?$args;
                }
                location /guarded/ {
                    auth_request /authz;
                    {{location}}
                }
                location = /authz {
                    internal;
                    {{location}}
                    {{word}}_pass_request_body off;
                    {{EmptyLength(word)}}
                }
            }
            """;
    }

    /// <summary>nginx tells of the client's body here too. By SCGI it does in the client's header alone.</summary>
    private static string EmptyLength(string word) => word switch
    {
        "proxy" => "proxy_set_header Content-Length \"\";",
        "fastcgi" => "fastcgi_param CONTENT_LENGTH \"\";",
        _ => "scgi_param HTTP_CONTENT_LENGTH \"\";",
    };
}
