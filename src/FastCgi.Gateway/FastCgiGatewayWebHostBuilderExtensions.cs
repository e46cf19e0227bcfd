using FastCgi.AspNetCore.Hosting;
using FastCgi.Gateway.Development;
using FastCgi.Gateway.Doors;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>
/// Kestrel in the process of a FastCGI application: for a browser during development, or for probes and gRPC.
/// </summary>
public static class FastCgiGatewayWebHostBuilderExtensions
{
    /// <summary>
    /// In the environment Development, serves the host's <c>http</c> and <c>https</c> addresses: a Kestrel in the same
    /// process sends every request over a private socket to the FastCGI server, and WebSockets over SCGI. So <c>dotnet
    /// run</c>, <c>dotnet watch</c> and launch profiles work as with Kestrel alone. In other environments it does
    /// nothing. Call it before or after <c>UseFastCgi</c>: without a FastCGI server, the application does not start in
    /// Development.
    /// </summary>
    /// <param name="builder">The builder of the web host.</param>
    /// <returns>The same builder.</returns>
    /// <example>
    /// <code>
    /// builder.WebHost.UseFastCgi();
    /// builder.WebHost.UseFastCgiDevelopmentGateway();
    /// </code>
    /// </example>
    /// <remarks>
    /// The addresses, <c>Kestrel:Endpoints</c> and <c>ConfigureKestrel</c> apply to that Kestrel as they do without
    /// FastCGI. Without any address it listens on <c>http://localhost:5000</c>. Endpoints of the FastCGI server do not
    /// change. If the host has only <c>fastcgi://</c> or <c>scgi://</c> addresses, and there is no
    /// <c>Kestrel:Endpoints</c>, the gateway does not start. It does nothing beside
    /// <see cref="UseKestrelBesideFastCgi"/>.
    /// </remarks>
    public static IWebHostBuilder UseFastCgiDevelopmentGateway(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static (context, services) =>
        {
            services.AddLogging();
            if (context.HostingEnvironment.IsDevelopment())
            {
                var kestrel = KestrelRegistration.Find(context, services);
                services.TryAddSingleton<ServerFront>(
                    (provider, server) => new DevelopmentGateway(server, kestrel, provider));
            }

            services.AddHostedService<GatewayNotice>();
        });
    }

    /// <summary>
    /// Serves the application by Kestrel too, in the same process and with the same pipeline. Kestrel uses the host's
    /// <c>http</c> and <c>https</c> addresses, <c>Kestrel:Endpoints</c> and <c>ConfigureKestrel</c>. The FastCGI server
    /// uses all other addresses and <c>FastCgi:Endpoints</c>. Call it before or after <c>UseFastCgi</c>: without a
    /// FastCGI server, the application does not start. Restrict endpoints to one server with <c>RequireFastCgi</c> or
    /// <c>RequireKestrel</c>.
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
    /// Without an address, Kestrel listens on <c>http://localhost:5000</c>, and FastCGI without an endpoint on
    /// <c>fastcgi://127.0.0.1:9000</c>. The development gateway does nothing beside it, because Kestrel uses the
    /// <c>http</c> addresses.
    /// </remarks>
    public static IWebHostBuilder UseKestrelBesideFastCgi(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static (context, services) =>
        {
            var kestrel = KestrelRegistration.Find(context, services);

            // Replaces the development gateway, if there is one.
            services.Replace(ServiceDescriptor.Singleton<ServerFront>(
                (provider, server) => new TwoServers(server, kestrel.Create(provider))));
            services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, DoorPolicy>());
            services.AddHostedService<GatewayNotice>();
        });
    }
}
