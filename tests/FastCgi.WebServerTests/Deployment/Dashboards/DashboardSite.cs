using System.Net.WebSockets;
using System.Security.Cryptography;
using FastCgi.Protocol;
using FastCgi.WebServerTests.WebSockets;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerTests.Deployment.Dashboards;

/// <summary>An application with quick, slow, busy and failing handlers and WebSockets, behind nginx.</summary>
internal sealed class DashboardSite : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private ServedApp? _app;

    public WebServer Nginx { get; private set; } = null!;

    public static async Task<DashboardSite> StartAsync()
    {
        var site = new DashboardSite();
        try
        {
            var status = site._directory.File("status");
            var scgi = site._directory.File("scgi");
            site._app = await ServedApp.StartAsync(
                IBackEnd.Of(BackEndKind.FastCgi), Configure, builder => builder.WebHost.ConfigureFastCgi(options =>
                {
                    options.ListenUnixSocket(scgi, static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);
                    options.Limits.MaxConcurrentRequests = DashboardLoad.Places;
                    options.SlowRequestAfter = TimeSpan.FromSeconds(1);
                    options.Status.Path = "/status";
                    options.Status.Endpoint = $"fastcgi://unix:{status}";
                }));
            var app = site._app.SocketPath;
            site.Nginx = await NginxServer.StartAsync(endPoint => $$"""
                server {
                    listen {{endPoint}} backlog=1024;
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_param HTTP_HOST $http_host;
                        fastcgi_param REMOTE_USER "";
                        fastcgi_pass unix:{{app}};
                    }
                    location = /status {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_param HTTP_HOST $http_host;
                        fastcgi_param REMOTE_USER "";
                        fastcgi_pass unix:{{status}};
                    }
                    location = /socket {
                        include /etc/nginx/scgi_params;
                        scgi_param HTTP_HOST $http_host;
                        scgi_pass unix:{{scgi}};
                        scgi_read_timeout 1h;
                    }
                }
                """);
            return site;
        }
        catch
        {
            await site.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Nginx is not null)
        {
            await Nginx.DisposeAsync();
        }

        if (_app is not null)
        {
            await _app.DisposeAsync();
        }

        _directory.Dispose();
    }

    private static void Configure(WebApplication app)
    {
        app.UseWebSockets();
        app.MapGet("/", static () => "hello");
        app.MapGet("/slow", static async (HttpContext context) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(2.5), context.RequestAborted);
            return "done";
        });
        // Some 20 ms of a processor, as a sign-in takes them for a password.
        app.MapGet("/sign-in", static () => Convert.ToHexString(
            Rfc2898DeriveBytes.Pbkdf2("secret", new byte[16], 60_000, HashAlgorithmName.SHA256, 32)));
        app.MapGet("/failing", static () => Results.StatusCode(StatusCodes.Status500InternalServerError));
        app.MapGet("/socket", static async (HttpContext context) =>
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
            await SocketSite.EchoAsync(context, socket);
        });
    }
}
