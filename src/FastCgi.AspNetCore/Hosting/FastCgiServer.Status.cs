using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Operations.Status;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Epoll;
using FastCgi.AspNetCore.Transport.Sockets;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Hosting;

namespace FastCgi.AspNetCore.Hosting;

// Adds the status page and the ping to a starting server, and refuses contradictory options.
internal sealed partial class FastCgiServer
{
    /// <summary>The endpoint of the pages; empty if there is none.</summary>
    /// <exception cref="InvalidOperationException">The options contradict, or the address is invalid.</exception>
    private IReadOnlyList<FastCgiListenOptions> ChooseStatusEndpoints()
    {
        FastCgiStatusOptions status = _options.Status;
        if (status.Path is { } path && path == status.PingPath)
        {
            throw new InvalidOperationException(
                $"FastCgi:Status:Path and FastCgi:Status:PingPath are both '{path}'. Give them two paths.");
        }

        if (string.IsNullOrEmpty(status.Endpoint))
        {
            return [];
        }

        if (!status.HasPages)
        {
            throw new InvalidOperationException(
                $"FastCgi:Status:Endpoint is '{status.Endpoint}', but there is no page to serve on it. Set " +
                "FastCgi:Status:Path, for instance to '/status', or FastCgi:Status:PingPath.");
        }

        var own = new FastCgiServerOptions { ApplicationServices = _options.ApplicationServices };
        // Set as a default, because on a unix socket the list applies only to the application's endpoints.
        own.ConfigureEndpointDefaults(listen =>
        {
            foreach (IPNetwork client in status.AllowedClients)
            {
                listen.AllowedClients.Add(client);
            }
        });
        try
        {
            FastCgiAddress.Listen(own, status.Endpoint, listen =>
            {
                listen.IsForPages = true;
                listen.UnixMode = status.UnixMode;
                listen.UnixGroup = status.UnixGroup;
            });
        }
        catch (FormatException exception)
        {
            throw new InvalidOperationException(
                $"FastCgi:Status:Endpoint cannot be used. {exception.Message}", exception);
        }

        return own.GetEndpoints();
    }

    /// <summary>Creates the pages of the server, and serves them on their endpoint if there is one.</summary>
    private void StartStatus(ConnectionSet connections, DescriptorReserve? reserve)
    {
        ServerContext server = connections.Server;
        FastCgiStatusOptions status = _options.Status;
        if (!status.HasPages)
        {
            return;
        }

        var clients = new ClientAllowList(status.AllowedClients);
        TellOfPages();
        string name = _services.GetService<IHostEnvironment>()?.ApplicationName ?? "FastCGI";
        var figures = new ServerStatus(name, connections, _transport!, Listeners);
        server.OnTick += figures.Sample;
        server.TicksWhenIdle = true;
        Func<string, ServerAnswer> page = new StatusPage(figures.Take).Answer;
        server.Pages = new ServerPages(status, page, clients.Admits, others: null);
        if (_statusEndpoints.Current.Count == 0)
        {
            return;
        }

        // The pages have the same paths as on the application's endpoints. The limits are enough for scrapers and
        // health checks. A connection without requests ends, because any local user can open one by TCP. The timeout is
        // Kestrel's.
        var options = new FastCgiServerOptions
        {
            PathBase = _options.PathBase,
            PathBaseFromScriptName = _options.PathBaseFromScriptName,
            TargetSource = _options.TargetSource,
            Limits = { MaxConcurrentConnections = 100, KeepAliveTimeout = TimeSpan.FromSeconds(130) },
        };
        var own = new ServerContext(options, server.Loggers, server.TimeProvider)
        {
            Buffers = server.Buffers,
            Pages = new ServerPages(
                status, page, isAllowed: null, others: ServerAnswer.Text(404, "There is no such page.\n")),
        };
        _status = new StatusEndpoint(own, _transportLog);
        _status.Start(_statusEndpoints, reserve);
        _notices.StatusListening(Describe(_statusEndpoints.Current));
    }

    /// <summary>Warns about faults of the pages' options.</summary>
    private void TellOfPages()
    {
        FastCgiStatusOptions status = _options.Status;
        if (status.Path is { } path && status.Endpoint is null && status.AllowedClients.Count == 0)
        {
            _notices.StatusForNobody(path);
        }

        foreach (string page in new[] { status.Path, status.PingPath }.OfType<string>())
        {
            if (HasRoute(_options.ApplicationServices, page))
            {
                _notices.StatusHidesRoute(page);
            }
        }
    }

    /// <summary>True if a route without parameters has this path.</summary>
    private static bool HasRoute(IServiceProvider? services, string path) =>
        services?.GetServices<EndpointDataSource>()
            .SelectMany(static source => source.Endpoints)
            .OfType<RouteEndpoint>()
            .Any(route => string.Equals(
                route.RoutePattern.RawText?.Trim('/'), path.Trim('/'), StringComparison.OrdinalIgnoreCase)) == true;

    /// <summary>The endpoint of the status page, with a transport that applications cannot block.</summary>
    private sealed class StatusEndpoint(ServerContext server, ILogger transportLog) : IDisposable
    {
        private readonly ConnectionSet _connections = new(server, new PageRunner());
        private readonly ITransport _transport = OperatingSystem.IsLinux()
            ? new EpollTransport(transportLog, workerCount: 1)
            : new SocketsTransport(transportLog);

        public void Start(EndpointSet endpoints, DescriptorReserve? reserve) =>
            endpoints.Start(_transport, _connections, reserve);

        /// <summary>Closes everything without waiting for running pages.</summary>
        public void Dispose()
        {
            _connections.CloseForStop();
            _connections.AbortAll();
            _connections.Dispose();
            _transport.Dispose();
        }
    }
}
