using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace FastCgi.Gateway.Development;

/// <summary>Says at the start why the FastCGI server runs without the gateway, if somebody may expect it.</summary>
internal sealed class GatewayNotice(
    IServiceProvider services, IHostEnvironment environment, ILoggerFactory loggers) : IHostedService
{
    /// <summary>Keys by which the host is given http addresses.</summary>
    private static readonly string[] s_ports = [WebHostDefaults.HttpPortsKey, WebHostDefaults.HttpsPortsKey];

    public Task StartAsync(CancellationToken cancellationToken)
    {
        // Neither the gateway nor a server for tests.
        if (services.GetService<IServer>()?.GetType().Assembly == typeof(FastCgiServerOptions).Assembly)
        {
            ILogger log = loggers.CreateLogger<DevelopmentGateway>();
            if (environment.IsDevelopment())
            {
                DevelopmentLog.Replaced(log);
            }
            else if (services.GetService<IConfiguration>() is { } configuration && HasHttp(configuration))
            {
                DevelopmentLog.NotActive(log, environment.EnvironmentName);
            }
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
