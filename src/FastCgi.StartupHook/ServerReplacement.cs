using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace FastCgi.StartupHook;

/// <summary>
/// Replaces Kestrel with the FastCGI server, in the first host of the process that uses Kestrel. Does not change
/// workers, test servers and applications that chose another server.
/// </summary>
internal static class ServerReplacement
{
    private const string Kestrel = "Microsoft.AspNetCore.Server.Kestrel.";

    private static int _isClaimed;

    /// <param name="builder">The payload of HostBuilding. Its configuration here runs last.</param>
    public static void OnBuilding(object builder) => ((IHostBuilder)builder)
        .ConfigureAppConfiguration(static (_, configuration) => AddSettings(configuration))
        .ConfigureServices(static (_, services) =>
        {
            if (HasKestrel(services) && TryClaim())
            {
                services.AddFastCgiServer();
            }
        });

    /// <summary>The tool's command line overrides the application's own settings.</summary>
    public static void AddSettings(IConfigurationBuilder configuration)
    {
        if (ToolVariables.Settings.Count > 0)
        {
            configuration.AddInMemoryCollection(ToolVariables.Settings);
        }
    }

    /// <summary>The last registered server counts.</summary>
    public static bool HasKestrel(IServiceCollection services) =>
        services.LastOrDefault(static service => service.ServiceType == typeof(IServer))
            ?.ImplementationType?.FullName?.StartsWith(Kestrel, StringComparison.Ordinal) == true;

    /// <summary>True for the first host of the process.</summary>
    public static bool TryClaim()
    {
        if (Interlocked.Exchange(ref _isClaimed, 1) != 0)
        {
            return false;
        }

        ToolVariables.ForgetHostingStartup();
        return true;
    }
}
