namespace FastCgi.WebServerTests.Scgi;

/// <summary>One application object behind FastCGI, SCGI and Kestrel, as docs/websockets.md describes it.</summary>
public sealed class OneApplicationTests
{
    [Fact]
    public async Task One_application_is_served_by_three_protocols()
    {
        using var directory = new WorkDirectory();
        directory.LetEverybodyThrough();
        var log = new LogRecorder();
        var builder = WebApplication.CreateBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders().AddProvider(log).SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        builder.WebHost.UseFastCgi(options =>
        {
            options.ListenUnixSocket(directory.File("app.sock"));
            options.ListenUnixSocket(
                directory.File("app.scgi"), listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);
        });
        builder.WebHost.UseKestrelBesideFastCgi();
        builder.Services.AddSingleton<Visits>();
        await using var app = builder.Build();
        app.MapGet("/", (HttpContext context, Visits visits) =>
            $"{visits.Next()} {(context.Features.Get<IFastCgiRequestFeature>() is null ? "HTTP" : "CGI")}");
        await app.StartAsync().Within("the start");

        await using var nginx = await WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                location /f { include /etc/nginx/fastcgi_params; rewrite ^ / break; fastcgi_pass unix:{{directory.File("app.sock")}}; }
                location /s { include /etc/nginx/scgi_params; rewrite ^ / break; scgi_pass unix:{{directory.File("app.scgi")}}; }
            }
            """);
        using var client = new HttpClient { Timeout = Deadline.Default };
        Assert.Equal("1 CGI", await client.GetStringAsync($"http://{nginx.EndPoint}/f").Within("FastCGI"));
        Assert.Equal("2 CGI", await client.GetStringAsync($"http://{nginx.EndPoint}/s").Within("SCGI"));
        var kestrel = app.Urls.Single(address => address.StartsWith("http:", StringComparison.Ordinal));
        Assert.Equal("3 HTTP", await client.GetStringAsync(kestrel).Within("Kestrel"));

        await app.StopAsync().Within("the stop");
        log.AssertNoUnexpectedErrors();
    }

    private sealed class Visits
    {
        private int _count;

        public int Next() => Interlocked.Increment(ref _count);
    }
}
