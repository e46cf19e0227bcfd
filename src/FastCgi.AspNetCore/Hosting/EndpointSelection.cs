using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// Selects the endpoints from the first of these sources that has any: the host's addresses if PreferHostingUrls is
/// set; endpoints of code and configuration; the host's addresses; inherited sockets; 127.0.0.1:9000. A gateway in the
/// same process adds its own endpoints, which also replace the last of these sources.
/// </summary>
/// <remarks>An inherited socket that another endpoint (the status page) uses is left out.</remarks>
internal sealed class EndpointSelection(
    FastCgiServerOptions options,
    LaunchContext launch,
    ServerNotices notices,
    IReadOnlyList<FastCgiListenOptions> others)
{
    public IReadOnlyList<FastCgiListenOptions> Choose(
        IServerAddressesFeature feature, Action<FastCgiServerOptions>? addForGateway = null)
    {
        IReadOnlyList<FastCgiListenOptions> chosen = ChooseConfigured(feature, hasDefault: addForGateway is null);
        if (addForGateway is null)
        {
            return chosen;
        }

        // Without the application's endpoint defaults, which are meant for its web server.
        var gateway = new FastCgiServerOptions { ApplicationServices = options.ApplicationServices };
        addForGateway(gateway);
        return [.. chosen, .. gateway.GetEndpoints()];
    }

    private IReadOnlyList<FastCgiListenOptions> ChooseConfigured(IServerAddressesFeature feature, bool hasDefault)
    {
        string[] http = [.. feature.Addresses.Where(FastCgiAddress.IsHttp)];
        string[] addresses = [.. feature.Addresses.Where(static address => !FastCgiAddress.IsHttp(address))];
        IReadOnlyList<FastCgiListenOptions> endpoints = options.GetEndpoints();
        notices.NotBound(http, isFallback: endpoints.Count == 0 && addresses.Length == 0);
        if (endpoints.Count > 0)
        {
            if (addresses.Length == 0 || !feature.PreferHostingUrls)
            {
                notices.Overridden(addresses);
                return endpoints;
            }

            notices.Overridden(endpoints);
        }

        return options.Collect(chosen => Add(chosen, addresses, hasDefault));
    }

    private void Add(FastCgiServerOptions chosen, string[] addresses, bool hasDefault)
    {
        if (addresses.Length > 0)
        {
            foreach (string address in addresses)
            {
                FastCgiAddress.Listen(chosen, address, static _ => { });
            }

            return;
        }

        foreach (ulong descriptor in launch.InheritedWithout(others))
        {
            chosen.ListenHandle(descriptor);
            hasDefault = false;
        }

        if (hasDefault)
        {
            chosen.Listen(IPAddress.Loopback, FastCgiEndpoint.DefaultPort);
        }
    }
}
