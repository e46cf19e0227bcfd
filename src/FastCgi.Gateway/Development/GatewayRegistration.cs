using System.Text;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Gateway.Development;

/// <summary>
/// Puts the gateway in the place of the FastCGI server, and finds the Kestrel that the application would have run on.
/// </summary>
internal static class GatewayRegistration
{
    public static void Add(WebHostBuilderContext context, IServiceCollection services)
    {
        // Kestrel runs beside the FastCGI server, or the gateway is there already.
        if (services.Any(static service => service.ServiceType == typeof(GatewayServers)))
        {
            return;
        }

        GatewayServers servers = FindServers(context, services, caller: "UseFastCgiDevelopmentGateway");
        services.PostConfigure<KestrelServerOptions>(static kestrel =>
        {
            // The FastCGI server has the limit of the application. Headers are bytes that the application has encoded.
            kestrel.Limits.MaxRequestBodySize = null;
            kestrel.ResponseHeaderEncodingSelector = static _ => Encoding.Latin1;
        });
        services.AddSingleton(servers);
        services.AddSingleton<IServer, DevelopmentGateway>();
    }

    /// <summary>The FastCGI server that was added last, and Kestrel, which is added if it is missing.</summary>
    /// <exception cref="InvalidOperationException"><paramref name="caller"/> comes too early or too late.</exception>
    public static GatewayServers FindServers(
        WebHostBuilderContext context, IServiceCollection services, string caller)
    {
        ServiceDescriptor? fastCgi = services.LastOrDefault(IsServer);
        if (fastCgi is null || IsKestrel(fastCgi))
        {
            throw new InvalidOperationException($"{caller} needs the FastCGI server: call UseFastCgi before it.");
        }

        if (fastCgi.ImplementationType == typeof(DevelopmentGateway))
        {
            throw new InvalidOperationException($"Call {caller} before UseFastCgiDevelopmentGateway.");
        }

        var builder = new ServicesBuilder(context, services);
        if (!services.Any(IsKestrel))
        {
            builder.UseKestrelCore();
        }

        // Slim builders leave https out.
        builder.UseKestrelHttpsConfiguration();
        return new GatewayServers(fastCgi, services.Last(IsKestrel));
    }

    private static bool IsServer(ServiceDescriptor service) =>
        service.ServiceType == typeof(IServer) && !service.IsKeyedService;

    private static bool IsKestrel(ServiceDescriptor service) =>
        IsServer(service) && service.ImplementationType?.Assembly == typeof(KestrelServerOptions).Assembly;
}
