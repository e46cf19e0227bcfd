using FastCgi.WebServerTests.WebSockets;

namespace FastCgi.WebServerTests.Deployment.Dashboards;

/// <summary>An application with quick, slow, busy and failing handlers and WebSockets, behind nginx.</summary>
internal static class DashboardSite
{
    public static Task<Site> StartAsync() => Site.StartAsync(
        static app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}} backlog=1024;
                location / { {{Pass(app.SocketPath)}} }
                location = /status { {{Pass($"{app.Folder}/status")}} }
                location = /socket {
                    include /etc/nginx/scgi_params;
                    scgi_param HTTP_HOST $http_host;
                    scgi_pass unix:{{app.ScgiSocketPath}};
                    scgi_read_timeout 1h;
                }
            }
            """),
        Configure,
        static builder => builder.WebHost.ConfigureFastCgi(options =>
        {
            options.Limits.MaxConcurrentRequests = DashboardLoad.Places;
            options.SlowRequestAfter = TimeSpan.FromSeconds(1);
            options.Status.Path = "/status";
            options.Status.Endpoint = $"fastcgi://unix:{builder.Environment.ContentRootPath}/status";
        }));

    private static string Pass(string socket) => $"""
        include /etc/nginx/fastcgi_params;
        fastcgi_param HTTP_HOST $http_host;
        fastcgi_param REMOTE_USER "";
        fastcgi_pass unix:{socket};
        """;

    private static void Configure(WebApplication app)
    {
        app.UseWebSockets();
        app.MapGet("/", static () => "hello");
        app.MapGet("/slow", static async (HttpContext context) =>
        {
            // A rush has to find all places taken before the first one is free again.
            await Task.Delay(Deadline.Of(TimeSpan.FromSeconds(2.5)), context.RequestAborted);
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
