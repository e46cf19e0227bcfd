using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.Tool.Serving;

/// <summary>
/// Hosts that read no configuration: neither an appsettings.json in the current directory nor ASPNETCORE_ variables
/// affect them.
/// </summary>
internal static class ToolServer
{
    public static WebApplicationBuilder CreateBuilder(ToolTerminal terminal)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions
        {
            ApplicationName = "fcgi",
            ContentRootPath = AppContext.BaseDirectory,
        });
        builder.Services.AddRoutingCore();
        // A failed start ends the command with the host's message.
        builder.Logging.SetMinimumLevel(LogLevel.Warning).AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
        builder.Services.AddSingleton<ILoggerProvider>(new TerminalLoggerProvider(terminal));
        return builder;
    }

    /// <summary>The addresses of the application, with the real port in place of port 0.</summary>
    public static ICollection<string> AddressesOf(WebApplication application) =>
        application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses;

    /// <summary>Starts the application, reports that, and runs it until Ctrl+C, SIGTERM or the token ends it.</summary>
    /// <exception cref="ToolException">The address cannot be listened on.</exception>
    public static async Task RunAsync(WebApplication application, Action started, CancellationToken cancellationToken)
    {
        try
        {
            await application.StartAsync(cancellationToken);
        }
        catch (Exception exception)
            when (
                exception is IOException or SocketException or InvalidOperationException or FormatException
                    or UnauthorizedAccessException)
        {
            throw new ToolException(ExitCode.Unreachable, $"cannot listen: {exception.Message}", exception);
        }

        started();
        await application.WaitForShutdownAsync(cancellationToken);
    }
}
