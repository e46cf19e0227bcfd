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
    /// In the environment Development, serves the <c>http</c> and <c>https</c> addresses of the host: a Kestrel in the
    /// same process sends every request over a private socket to the FastCGI server, and WebSockets by SCGI. So
    /// <c>dotnet run</c>, <c>dotnet watch</c> and launch profiles work as with Kestrel alone. In other environments it
    /// does nothing. Call it before or after <c>UseFastCgi</c>: an application that has no FastCGI server does not
    /// start in Development.
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
    /// The addresses, <c>Kestrel:Endpoints</c> and <c>ConfigureKestrel</c> hold for that Kestrel as they do without
    /// FastCGI; without any address it listens on <c>http://localhost:5000</c>. Endpoints of the FastCGI server stay as
    /// they are. If the host has <c>fastcgi://</c> or <c>scgi://</c> addresses alone, and there is no
    /// <c>Kestrel:Endpoints</c>, the gateway does not start. Beside <see cref="UseKestrelBesideFastCgi"/> it does
    /// nothing.
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
    /// Serves the application by Kestrel too, in the same process and by the same pipeline. The <c>http</c> and
    /// <c>https</c> addresses of the host, <c>Kestrel:Endpoints</c> and <c>ConfigureKestrel</c> are Kestrel's; all
    /// other addresses and <c>FastCgi:Endpoints</c> are the FastCGI server's. Call it before or after
    /// <c>UseFastCgi</c>: an application that has no FastCGI server does not start. Guard the endpoints of one server
    /// by <c>RequireFastCgi</c> or <c>RequireKestrel</c>.
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
    public static IWebHostBuilder UseKestrelBesideFastCgi(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static (context, services) =>
        {
            var kestrel = KestrelRegistration.Find(context, services);

            // In the place of the development gateway, if it is there.
            services.Replace(ServiceDescriptor.Singleton<ServerFront>(
                (provider, server) => new TwoServers(server, kestrel.Create(provider))));
            services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, DoorPolicy>());
            services.AddHostedService<GatewayNotice>();
        });
    }
}
