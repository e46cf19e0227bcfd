using FastCgi.Gateway.Development;
using FastCgi.Gateway.Doors;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>One application on two servers: FastCGI for the web server, Kestrel for probes and gRPC.</summary>
public static class FastCgiBesideKestrelExtensions
{
    /// <summary>
    /// Serves the application by Kestrel too, in the same process and by the same pipeline. The <c>http</c> and
    /// <c>https</c> addresses of the host, <c>Kestrel:Endpoints</c> and <c>ConfigureKestrel</c> are Kestrel's; all
    /// other addresses and <c>FastCgi:Endpoints</c> are the FastCGI server's. Call it after <c>UseFastCgi</c>. Guard
    /// what belongs to one of them by <c>RequireFastCgi</c> or <c>RequireKestrel</c>.
    /// </summary>
    /// <param name="builder">The builder of the web host.</param>
    /// <returns>The same builder.</returns>
    /// <example>
    /// <code>
    /// builder.WebHost.UseFastCgi();
    /// builder.WebHost.UseKestrelBesideFastCgi();
    /// </code>
    /// </example>
    /// <remarks>
    /// Where Kestrel has no address it listens on <c>http://localhost:5000</c>, and FastCGI without an endpoint on
    /// <c>fastcgi://127.0.0.1:9000</c>. The development gateway does nothing beside it: Kestrel has the <c>http</c>
    /// addresses.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// <c>UseFastCgi</c> was not called before, or <c>UseFastCgiDevelopmentGateway</c> was.
    /// </exception>
    public static IWebHostBuilder UseKestrelBesideFastCgi(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static (context, services) =>
        {
            if (services.Any(static service => service.ServiceType == typeof(TwoServers)))
            {
                return;
            }

            services.AddSingleton(GatewayRegistration.FindServers(context, services, nameof(UseKestrelBesideFastCgi)));
            services.AddSingleton<TwoServers>();
            services.AddSingleton<Server.IServer>(static provider => provider.GetRequiredService<TwoServers>());
            services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, DoorPolicy>());
        });
    }
}
