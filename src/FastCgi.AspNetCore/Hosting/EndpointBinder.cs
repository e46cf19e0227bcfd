using System.Net;
using FastCgi.AspNetCore.Transport;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Binds all endpoints or none, and publishes what is really bound.</summary>
internal sealed class EndpointBinder(FastCgiServerOptions options, TimeProvider timeProvider, ILogger transportLog)
{
    /// <summary>The listeners, not yet accepting. When one fails, those before it are undone.</summary>
    public List<BoundEndpoint> Bind(IReadOnlyList<FastCgiListenOptions> listenOptions)
    {
        var bound = new List<BoundEndpoint>();
        try
        {
            foreach (FastCgiListenOptions listen in listenOptions)
            {
                bound.Add(new BoundEndpoint(listen, EndpointListener.Bind(Target(listen), transportLog, timeProvider)));
            }

            return bound;
        }
        catch
        {
            bound.ForEach(static endpoint => endpoint.Listener.Dispose());
            throw;
        }
    }

    /// <summary>Where a FastCGI program finds its socket when its web server started it (FastCGI 1.0, section 2.2).</summary>
    private const ulong FastCgiDescriptor = 0;

    /// <summary>What to listen on: endpoints from code and configuration, else addresses, else what is inherited, else the default.</summary>
    public IReadOnlyList<FastCgiListenOptions> Choose(IServerAddressesFeature addresses, AddressNotices notices)
    {
        if (options.ListenOptions.Count > 0 && !(addresses.PreferHostingUrls && addresses.Addresses.Count > 0))
        {
            notices.Overridden(addresses.Addresses);
            return options.ListenOptions;
        }

        var chosen = new FastCgiServerOptions { ApplicationServices = options.ApplicationServices };
        foreach (string address in addresses.Addresses)
        {
            if (!FastCgiAddress.IsHttp(address))
            {
                FastCgiAddress.Listen(chosen, address, static _ => { });
            }
        }

        notices.NotBound(addresses.Addresses.Where(FastCgiAddress.IsHttp));
        if (chosen.ListenOptions.Count == 0)
        {
            chosen.ListenSystemd();
        }

        if (chosen.ListenOptions.Count == 0 && InheritedSockets.IsListeningSocket(FastCgiDescriptor))
        {
            chosen.ListenHandle(FastCgiDescriptor);
        }

        if (chosen.ListenOptions.Count == 0)
        {
            chosen.Listen(IPAddress.Loopback, FastCgiAddress.DefaultPort);
        }

        return chosen.ListenOptions;
    }

    private static ListenTarget Target(FastCgiListenOptions listen) =>
        (listen.FileHandle is ulong handle ? new ListenTarget(handle) : new ListenTarget(listen.EndPoint!)) with
    {
        Backlog = listen.Backlog,
        UnixGroup = listen.UnixGroup,
        UnixMode = listen.UnixMode,
        UnixOwner = listen.UnixOwner,
    };
}
