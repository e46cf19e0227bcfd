using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.Gateway.Development;

/// <summary>The Kestrel that the application would have run on. The host does not start it itself.</summary>
internal sealed class KestrelRegistration
{
    private readonly ServiceDescriptor _server;

    private KestrelRegistration(ServiceDescriptor server) => _server = server;

    /// <summary>Kestrel as the application has added it, or a new one.</summary>
    public static KestrelRegistration Find(WebHostBuilderContext context, IServiceCollection services)
    {
        var builder = new ServicesBuilder(context, services);
        if (!services.Any(IsKestrel))
        {
            builder.UseKestrelCore();

            // The host starts the server that was added last, which is that of UseFastCgi in any order of calls.
            ServiceDescriptor added = services.Last(IsKestrel);
            services.Remove(added);
            services.Insert(0, added);
        }

        // Slim builders leave https out.
        builder.UseKestrelHttpsConfiguration();
        return new KestrelRegistration(services.Last(IsKestrel));
    }

    public static bool IsKestrel(Type? server) => server?.Assembly == typeof(KestrelServerOptions).Assembly;

    public IServer Create(IServiceProvider services) => (IServer)(
        _server.ImplementationInstance
        ?? _server.ImplementationFactory?.Invoke(services)
        ?? ActivatorUtilities.CreateInstance(services, _server.ImplementationType!));

    private static bool IsKestrel(ServiceDescriptor service) =>
        service.ServiceType == typeof(IServer) && !service.IsKeyedService && IsKestrel(service.ImplementationType);
}
