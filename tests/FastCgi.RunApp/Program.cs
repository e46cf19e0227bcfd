using Microsoft.AspNetCore.Hosting.Server;

#pragma warning disable ASPDEPR004, ASPDEPR008 // The builder of old applications is what a test runs.

static IResult Describe(HttpContext context, IServer server) => Results.Text(string.Join('\n',
    $"server={server.GetType().Name}",
    $"path={context.Request.Path.Value}",
    $"scheme={context.Request.Scheme}",
    $"hooks={Environment.GetEnvironmentVariable("DOTNET_STARTUP_HOOKS")}",
    $"startups={Environment.GetEnvironmentVariable("ASPNETCORE_HOSTINGSTARTUPASSEMBLIES")}",
    $"endpoint={Environment.GetEnvironmentVariable("FastCgi__Endpoints__Run__Url")}",
    $"arguments={string.Join(' ', Environment.GetCommandLineArgs()[1..])}",
    ""));

switch (args.FirstOrDefault())
{
    case "webhost":
        new WebHostBuilder()
            .UseKestrel()
            .ConfigureLogging(static logging => logging.AddConsole())
            .ConfigureAppConfiguration(static configuration => configuration.AddEnvironmentVariables())
            .ConfigureServices(static services => services.AddRouting())
            .Configure(static app =>
                app.UseRouting().UseEndpoints(static routes => routes.MapGet("/{**path}", Describe)))
            .Build()
            .Run();
        break;

    case "worker":
        var worker = Host.CreateApplicationBuilder(args).Build();
        await worker.StartAsync();
        Console.WriteLine("worker done");
        await worker.StopAsync();
        break;

    case "console":
        Console.WriteLine("no host at all");
        break;

    default:
        var app = WebApplication.Create(args);
        app.MapGet("/{**path}", Describe);
        app.Run(args.Contains("url") ? "http://127.0.0.1:1" : null);
        break;
}
