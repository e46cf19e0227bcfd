using FastCgi.Gateway.Development;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Opens a FastCGI application in a browser without a web server, during development.</summary>
public static class FastCgiDevelopmentGatewayExtensions
{
    /// <summary>
    /// In the environment Development, serves the <c>http</c> and <c>https</c> addresses of the host: a Kestrel in the
    /// same process sends every request over a private socket to the FastCGI server, and WebSockets by SCGI. So
    /// <c>dotnet run</c>, <c>dotnet watch</c> and launch profiles work as with Kestrel alone. In other environments it
    /// does nothing. Call it after <c>UseFastCgi</c>.
    /// </summary>
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
    /// <c>Kestrel:Endpoints</c>, the gateway does not start.
    /// </remarks>
    /// <exception cref="InvalidOperationException"><c>UseFastCgi</c> was not called before.</exception>
    public static IWebHostBuilder UseFastCgiDevelopmentGateway(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static (context, services) =>
        {
            services.AddLogging();
            if (context.HostingEnvironment.IsDevelopment())
            {
                GatewayRegistration.Add(context, services);
            }

            services.AddHostedService<GatewayNotice>();
        });
    }
}
