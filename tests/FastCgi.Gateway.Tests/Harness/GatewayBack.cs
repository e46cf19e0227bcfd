using FastCgi.Client;

namespace FastCgi.Gateway.Tests.Harness;

/// <summary>Our own server behind the forwarder.</summary>
internal static class GatewayBack
{
    public static Task<FunctionalServer> StartAsync(bool isScgi, RequestDelegate application) =>
        FunctionalServer.StartAsync(
            Socket.OSSupportsUnixDomainSockets && OperatingSystem.IsLinux()
                ? ServerTransport.EpollOnUnix
                : ServerTransport.SocketsOnTcp,
            application,
            options => options.ConfigureEndpointDefaults(endpoint => endpoint.Protocol =
                isScgi ? FastCgiEndpointProtocol.Scgi : FastCgiEndpointProtocol.FastCgi));

    public static HttpMessageInvoker Invoker(this FunctionalServer server) =>
        new(new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = server.Address,
            ActivityHeadersPropagator = null,
        }));
}
