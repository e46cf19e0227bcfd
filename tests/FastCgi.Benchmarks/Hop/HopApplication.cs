namespace FastCgi.Benchmarks.Hop;

/// <summary>Kestrel with one route, which forwards.</summary>
internal static class HopApplication
{
    private const string Route = "/{**path}";

    public static async Task RunAsync(TargetProtocol protocol, string socket, string address, bool keepConnections)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = ["--hostBuilder:reloadConfigOnChange=false"],
            EnvironmentName = Environments.Production,
        });
        builder.Logging.ClearProviders().AddConsole().SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.ConfigureKestrel(static options => options.Limits.MaxRequestBodySize = null)
            .UseUrls($"http://{address}");

        var app = builder.Build();
        if (protocol == TargetProtocol.Http)
        {
            using var forwarder = new HttpForwarder(socket, keepConnections);
            app.Map(Route, forwarder.ForwardAsync);
            await app.RunAsync();
            return;
        }

        app.MapFastCgi(Route, protocol == TargetProtocol.Scgi ? $"scgi://unix:{socket}" : $"unix:{socket}", options =>
            options.ConfigureHandler = handler => handler.KeepConnection = keepConnections);
        await app.RunAsync();
    }
}
