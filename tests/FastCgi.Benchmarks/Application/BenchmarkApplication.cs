using System.Net;

namespace FastCgi.Benchmarks.Application;

/// <summary>The application under test: one program, served by each server.</summary>
internal static class BenchmarkApplication
{
    public static async Task RunAsync(ServerKind server, string address)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = ["--hostBuilder:reloadConfigOnChange=false"],
            ContentRootPath = AppContext.BaseDirectory,
            EnvironmentName = Environments.Production,
        });
        builder.Logging.ClearProviders().AddConsole().SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddControllersWithViews();
        Listen(builder.WebHost, server, address);

        var app = builder.Build();
        // Before routing, which they would otherwise pay for: their measure is the server's.
        app.Use(PlainWorkloads.InvokeAsync);
        EchoWorkload.Map(app);
        app.UseRouting();
        app.MapControllers();
        await app.RunAsync();
    }

    /// <param name="address">The path of a unix socket, or an IP address with its port.</param>
    private static void Listen(ConfigureWebHostBuilder host, ServerKind server, string address)
    {
        string place = IPEndPoint.TryParse(address, out _) ? address : $"unix:{address}";
        if (server == ServerKind.Kestrel)
        {
            host.ConfigureKestrel(options => options.Limits.MaxRequestBodySize = null).UseUrls($"http://{place}");
        }
        else
        {
            string scheme = server == ServerKind.Scgi ? "scgi" : "fastcgi";
            host.UseFastCgi(options => options.Limits.MaxRequestBodySize = null).UseUrls($"{scheme}://{place}");
        }
    }
}
