using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests.Sockets;

/// <summary>Two servers of one application, on one transport: of FastCGI and of SCGI.</summary>
internal sealed class FuzzServers : IAsyncDisposable
{
    private readonly List<FunctionalServer> _servers = [];
    private readonly List<Measurements> _connections = [];

    private FuzzServers(ServerTransport transport)
    {
        IsUnix = transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix;
        Application = new FuzzApplication(new PoolThreads(), Targets, hasSelectors: false);
    }

    public bool IsUnix { get; }

    public Targets Targets { get; } = new();

    public FuzzApplication Application { get; }

    public CountingBufferPool Pool { get; } = new();

    public static async Task<FuzzServers> StartAsync(ServerTransport transport)
    {
        var servers = new FuzzServers(transport);
        foreach (var protocol in new[] { "FastCgi", "Scgi" })
        {
            RequestDelegate application = servers.Application.RunAsync;
            var server = await FunctionalServer.StartAsync(transport, application, configure: builder =>
            {
                builder.Configuration["FastCgi:EndpointDefaults:Protocol"] = protocol;
                // What a peer causes is logged at Debug: millions of entries that nobody reads.
                builder.Logging.SetMinimumLevel(LogLevel.Warning);
                servers.Pool.AddTo(builder.Services);
            });
            servers._servers.Add(server);
            servers._connections.Add(Measurements.OfActiveConnections(server));
        }

        return servers;
    }

    public Task<ScriptedPeer> ConnectAsync(Conversation conversation) =>
        _servers[conversation.IsScgi ? 1 : 0].ConnectAsync();

    /// <summary>No connection is open, and no log tells of an error that no script asked for.</summary>
    public async Task AssertSettledAsync()
    {
        foreach (var connections in _connections)
        {
            await connections.DropsToAsync(0);
        }

        foreach (var server in _servers)
        {
            ExpectPlanned(server.Logs);
            server.Logs.AssertNoUnexpectedErrors();
        }
    }

    /// <summary>Stops them, and no connection had to be aborted.</summary>
    public async Task StopAsync()
    {
        foreach (var server in _servers)
        {
            using var stop = new CancellationTokenSource(Deadline.Default);
            await server.StopAsync(stop.Token);
            Assert.DoesNotContain(server.Logs.Entries, static entry => entry.Level == LogLevel.Warning
                && entry.Category.EndsWith("Server", StringComparison.Ordinal)
                && entry.Message.Contains("aborted", StringComparison.Ordinal));
        }
    }

    public async ValueTask DisposeAsync()
    {
        _connections.ForEach(static connections => connections.Dispose());
        foreach (var server in _servers)
        {
            ExpectPlanned(server.Logs);
            await server.DisposeAsync();
        }
    }

    private static void ExpectPlanned(LogRecorder logs)
    {
        if (logs.Entries.Any(IsPlanned))
        {
            logs.ExpectError(IsPlanned);
        }
    }

    private static bool IsPlanned(LogEntry entry) =>
        entry.Level == LogLevel.Error && entry.Exception is PlannedException;
}
