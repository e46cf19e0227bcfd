using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Gateway.Development;

/// <summary>The registrations of the two servers, neither of which is the application's server any more.</summary>
internal sealed class GatewayServers(ServiceDescriptor fastCgi, ServiceDescriptor kestrel)
{
    public IServer CreateFastCgi(IServiceProvider services) => Create(fastCgi, services);

    public IServer CreateKestrel(IServiceProvider services) => Create(kestrel, services);

    private static IServer Create(ServiceDescriptor server, IServiceProvider services) => (IServer)(
        server.ImplementationInstance
        ?? server.ImplementationFactory?.Invoke(services)
        ?? ActivatorUtilities.CreateInstance(services, server.ImplementationType!));
}
