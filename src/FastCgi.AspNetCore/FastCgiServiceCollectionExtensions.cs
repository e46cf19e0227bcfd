using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Hosting;
using FastCgi.AspNetCore.PlainCgi;
using Microsoft.AspNetCore.Hosting.Server;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Serves an application by FastCGI, for hosts without an <c>IWebHostBuilder</c> at hand.</summary>
public static class FastCgiServiceCollectionExtensions
{
    /// <summary>
    /// Adds FastCGI as the server, exactly as <c>UseFastCgi</c> does. Of several servers the last one that was added is
    /// used. Nothing is bound before the host starts. The section <c>FastCgi</c> of the configuration is read first, if
    /// the services have an <c>IConfiguration</c>, and code has the last word.
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
            // Before the application has built its host: what it prints, and what it reads of the environment.
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
    /// <param name="configure">Called when the server starts, after the configuration was read.</param>
    /// <returns>The same services.</returns>
    public static IServiceCollection AddFastCgiServer(
        this IServiceCollection services, Action<FastCgiServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddFastCgiServer().Configure(configure);
    }

    /// <summary>Options that read the configuration, without a server.</summary>
    internal static IServiceCollection AddFastCgiOptions(this IServiceCollection services)
    {
        services.AddOptions();

        // Ahead of what code configures, so that the section is read first in any order of calls.
        var setup = ServiceDescriptor.Transient<IConfigureOptions<FastCgiServerOptions>, FastCgiServerOptionsSetup>();
        if (!services.Any(other => !other.IsKeyedService && other.ImplementationType == setup.ImplementationType))
        {
            services.Insert(0, setup);
        }

        return services;
    }
}
