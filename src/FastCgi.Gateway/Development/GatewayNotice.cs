using FastCgi.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;

namespace FastCgi.Gateway.Development;

/// <summary>
/// Logs at the start why the FastCGI server runs without the gateway, if its configuration suggests one. Refuses a
/// gateway without the FastCGI server.
/// </summary>
internal sealed class GatewayNotice(
    IServiceProvider services, IHostEnvironment environment, ILoggerFactory loggers) : IHostedService
{
    /// <summary>The keys for http addresses of the host.</summary>
    private static readonly string[] s_ports = [WebHostDefaults.HttpPortsKey, WebHostDefaults.HttpsPortsKey];

    /// <exception cref="InvalidOperationException">The application runs on Kestrel only.</exception>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        Type? server = services.GetService<IServer>()?.GetType();
        if (KestrelRegistration.IsKestrel(server) && services.GetService<ServerFront>() is not null)
        {
            throw new InvalidOperationException(
                "UseFastCgiDevelopmentGateway and UseKestrelBesideFastCgi need the FastCGI server, and this " +
                "application runs on Kestrel alone: call UseFastCgi too, and no UseKestrel after it.");
        }

        // The FastCGI server itself, neither the gateway nor a test server.
        if (server == typeof(FastCgiServer)
            && services.GetService<IConfiguration>() is { } configuration
            && HasHttp(configuration))
        {
            DevelopmentLog.DevelopmentGatewayOff(
                loggers.CreateLogger<DevelopmentGateway>(), environment.EnvironmentName);
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private static bool HasHttp(IConfiguration configuration) =>
        configuration[WebHostDefaults.ServerUrlsKey] is { Length: > 0 } urls
            ? urls.Contains("http://", StringComparison.OrdinalIgnoreCase)
                || urls.Contains("https://", StringComparison.OrdinalIgnoreCase)
            : s_ports.Any(key => !string.IsNullOrEmpty(configuration[key]));
}
