using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Hosting;
using FastCgi.AspNetCore.PlainCgi;
using Microsoft.AspNetCore.Hosting.Server;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Serves an application by FastCGI, for hosts without an <c>IWebHostBuilder</c>.</summary>
public static class FastCgiServiceCollectionExtensions
{
    /// <summary>
    /// Adds FastCGI as the server, exactly as <c>UseFastCgi</c> does. If several servers are added, the last one is
    /// used. Nothing is bound before the host starts. The section <c>FastCgi</c> of the configuration is read first, if
    /// the services have an <c>IConfiguration</c>; code can override it.
    /// </summary>
    /// <param name="services">The services of the application.</param>
    /// <returns>The same services.</returns>
    public static IServiceCollection AddFastCgiServer(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddLogging();
        services.AddFastCgiOptions();
        if (!OperatingSystem.IsWindows() && CgiEnvironment.IsPresent(LaunchContext.Current))
        {
            // Before the application builds its host, because of its console output and its use of the environment.
            CgiStreams.TakeResponse();
            PlainCgiServer.RefuseArgumentsOfClient(LaunchContext.Current);
            CgiEnvironment.Take();
            return services.AddSingleton<IServer, PlainCgiServer>();
        }

        return services.AddSingleton<IServer>(static provider =>
        {
            var server = new FastCgiServer(
                provider.GetRequiredService<IOptions<FastCgiServerOptions>>(),
                provider.GetRequiredService<ILoggerFactory>(),
                provider);
            return provider.GetService<ServerFront>()?.Invoke(provider, server) ?? server;
        });
    }

    /// <summary>Adds FastCGI as the server, exactly as <c>UseFastCgi</c> does, and configures it.</summary>
    /// <param name="services">The services of the application.</param>
    /// <param name="configure">Called when the server starts, after the configuration has been read.</param>
    /// <returns>The same services.</returns>
    public static IServiceCollection AddFastCgiServer(
        this IServiceCollection services, Action<FastCgiServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddFastCgiServer().Configure(configure);
    }

    /// <summary>Adds options that read the configuration, without a server.</summary>
    internal static IServiceCollection AddFastCgiOptions(this IServiceCollection services)
    {
        services.AddOptions();

        // Inserted first, so that the section is read before code configures the options, in any order of calls.
        var setup = ServiceDescriptor.Transient<IConfigureOptions<FastCgiServerOptions>, FastCgiServerOptionsSetup>();
        if (!services.Any(other => !other.IsKeyedService && other.ImplementationType == setup.ImplementationType))
        {
            services.Insert(0, setup);
        }

        return services;
    }
}
