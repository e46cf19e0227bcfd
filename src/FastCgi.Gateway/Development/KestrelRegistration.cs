using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.Gateway.Development;

/// <summary>The Kestrel on which the application would have run. The host does not start it itself.</summary>
internal sealed class KestrelRegistration
{
    private readonly ServiceDescriptor _server;

    private KestrelRegistration(ServiceDescriptor server) => _server = server;

    /// <summary>Finds the Kestrel that the application has added, or adds one.</summary>
    public static KestrelRegistration Find(WebHostBuilderContext context, IServiceCollection services)
    {
        var builder = new ServicesBuilder(context, services);
        if (!services.Any(IsKestrel))
        {
            builder.UseKestrelCore();

            // The host starts the server that was added last. So UseFastCgi's is used in any order of calls.
            ServiceDescriptor added = services.Last(IsKestrel);
            services.Remove(added);
            services.Insert(0, added);
        }

        // Slim builders leave out https.
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
