namespace FastCgi.Benchmarks.Application;

/// <summary>The application under test: one program, served by either server, on a unix socket.</summary>
internal static class BenchmarkApplication
{
    public static async Task RunAsync(ServerKind server, string socketPath)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = ["--hostBuilder:reloadConfigOnChange=false"],
            ContentRootPath = AppContext.BaseDirectory,
            EnvironmentName = Environments.Production,
        });
        builder.Logging.ClearProviders().AddConsole().SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddControllersWithViews();
        Listen(builder.WebHost, server, socketPath);

        var app = builder.Build();
        // Before routing, which they would otherwise pay for: their measure is the server's.
        app.Use(PlainWorkloads.InvokeAsync);
        app.UseRouting();
        app.MapControllers();
        await app.RunAsync();
    }

    private static void Listen(ConfigureWebHostBuilder host, ServerKind server, string socketPath)
    {
        if (server == ServerKind.FastCgi)
        {
            host.UseFastCgi(options => options.ListenUnixSocket(socketPath));
        }
        else
        {
            host.ConfigureKestrel(options => options.ListenUnixSocket(socketPath));
        }
    }
}
