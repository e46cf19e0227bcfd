using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Status;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Puts the status page and the ping into a server that starts, and refuses options that contradict.</summary>
internal sealed class StatusStart(FastCgiServerOptions options, StatusNotices notices, ILogger transportLog)
{
    private FastCgiStatusOptions Status => options.Status;

    /// <summary>The endpoint of the pages; empty without one.</summary>
    /// <exception cref="InvalidOperationException">The options contradict, or the address is wrong.</exception>
    public IReadOnlyList<FastCgiListenOptions> ChooseEndpoints()
    {
        if (Status.Path is { } path && path == Status.PingPath)
        {
            throw new InvalidOperationException(
                $"FastCgi:Status:Path and FastCgi:Status:PingPath are both '{path}'. Give them two paths.");
        }

        if (string.IsNullOrEmpty(Status.Endpoint))
        {
            return [];
        }

        if (!Status.HasPages)
        {
            throw new InvalidOperationException(
                $"FastCgi:Status:Endpoint is '{Status.Endpoint}', but there is no page to serve on it. Set " +
                "FastCgi:Status:Path, for instance to '/status', or FastCgi:Status:PingPath.");
        }

        return Listen(Status.Endpoint);
    }

    /// <summary>Makes the pages of the server, and the endpoint for them; null without one.</summary>
    public StatusEndpoint? Start(
        ServerContext server, ServerStatus figures, IReadOnlyList<BoundEndpoint> bound)
    {
        if (!Status.HasPages)
        {
            return null;
        }

        var clients = ClientAllowList.Parse(Status.AllowedClients);
        notices.Pages(options, clients.InvalidEntry);
        server.OnTick += figures.Sample;
        server.TicksWhenIdle = true;
        server.Pages = new StatusPages(Status, figures, clients.Admits, others: null);
        if (bound.Count == 0)
        {
            return null;
        }

        var own = new ServerContext(new FastCgiServerOptions(), server.Loggers, server.TimeProvider)
        {
            Buffers = server.Buffers,
            Pages = new StatusPages(
                Status, figures, isAllowed: null, others: new FixedPage(404, "There is no such page.\n")),
        };
        var endpoint = new StatusEndpoint(bound, own, transportLog);
        endpoint.Start();
        notices.Listening(string.Join(", ", endpoint.Addresses));
        return endpoint;
    }

    private IReadOnlyList<FastCgiListenOptions> Listen(string address)
    {
        var own = new FastCgiServerOptions { ApplicationServices = options.ApplicationServices };
        // A default, since on a unix socket the list is for the endpoints of the application alone.
        own.ConfigureEndpointDefaults(listen =>
        {
            foreach (string client in Status.AllowedClients)
            {
                listen.AllowedClients.Add(client);
            }
        });
        try
        {
            FastCgiAddress.Listen(own, address, listen =>
            {
                listen.UnixMode = Status.UnixMode;
                listen.UnixGroup = Status.UnixGroup;
            });
        }
        catch (FormatException exception)
        {
            throw new InvalidOperationException(
                $"FastCgi:Status:Endpoint cannot be used. {exception.Message}", exception);
        }

        return own.GetEndpoints();
    }
}
