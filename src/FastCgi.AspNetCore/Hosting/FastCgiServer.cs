using System.Collections.Immutable;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.IO.Pipelines;
using System.Net.Security;
using System.Net.WebSockets;
using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;
using System.Text.Encodings.Web;
using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Operations.Systemd;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Epoll;
using FastCgi.AspNetCore.Transport.Listening;
using FastCgi.AspNetCore.Transport.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Hosting;
using Microsoft.Net.Http.Headers;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// The life of the server: bind, accept and, at the stop: stop accepting, let requests end, abort the rest. The
/// constructor binds nothing, so that a test host may replace the server.
/// </summary>
internal sealed partial class FastCgiServer : IServer, IAsyncDisposable
{
    private static readonly TimeSpan s_abortTimeout = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly FastCgiServerOptions _options;
    private readonly ILoggerFactory _loggers;
    private readonly ILogger _log;
    private readonly ILogger _transportLog;
    private readonly ServerNotices _notices;
    private readonly ServerMetrics? _metrics;
    private readonly TimeProvider _timeProvider;
    private readonly LaunchContext _launch;
    private readonly CancellationToken _applicationStopping;
    private readonly TimeSpan _shutdownTimeout;
    private readonly IServiceProvider _services;
    private readonly Action? _stopHost;
    private readonly EndpointBinder _binder;
    private readonly ServerAddresses _addresses = new();
    private readonly EndpointSet _statusEndpoints = new(CancellationToken.None);

    // Set at the start: the addresses of the host, before those of the bound endpoints replaced them.
    private ServerAddressesFeature? _asked;
    private StatusEndpoint? _status;
    private ServiceLink? _service;
    private ITransport? _transport;
    private ConnectionSet? _connections;
    private readonly CancellationTokenSource _stopNow = new();
    private readonly EndpointSet _endpoints;
    private CancellationTokenRegistration _stopping;
    private ITimer? _stopLimit;
    private Task? _stop;
    private bool _started;

    public FastCgiServer(IOptions<FastCgiServerOptions> options, ILoggerFactory loggers, IServiceProvider services)
    {
        _options = options.Value;
        _endpoints = new EndpointSet(_stopNow.Token);
        _services = services;
        _loggers = loggers;
        _log = GuardedLogger.Create(loggers, LogCategories.Server);
        _transportLog = GuardedLogger.Create(loggers, LogCategories.Transport);
        _notices = new ServerNotices(_log);
        _timeProvider = services.GetService<TimeProvider>() ?? TimeProvider.System;
        _launch = services.GetService<LaunchContext>() ?? LaunchContext.Current;
        _binder = new EndpointBinder(_launch, _notices, _timeProvider, _transportLog)
        {
            Factories = services.GetServices<IConnectionListenerFactory>,
        };
        var lifetime = services.GetService<IHostApplicationLifetime>();
        _applicationStopping = lifetime?.ApplicationStopping ?? default;
        _shutdownTimeout =
            services.GetService<IOptions<HostOptions>>()?.Value.ShutdownTimeout ?? Timeout.InfiniteTimeSpan;

        // Not on the heartbeat, which asks for the stop, because the application's callbacks run in it.
        _stopHost = lifetime is null
            ? null
            : () => ThreadPool.UnsafeQueueUserWorkItem(
                static host => host.StopApplication(), lifetime, preferLocal: false);
        _metrics = services.GetService<IMeterFactory>() is { } meters
            ? new ServerMetrics(
                meters,
                () => Volatile.Read(ref _transport)?.WorkerCount ?? 0,
                () => Volatile.Read(ref _connections)?.Server.RejectedRequests ?? 0,
                Queues)
            : null;
        Features.Set<IServerAddressesFeature>(_addresses);
    }

    public IFeatureCollection Features { get; } = new FeatureCollection();

    public Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (_lock)
        {
            if (_started || _stop is not null)
            {
                throw new InvalidOperationException(
                    "A server starts once: this one has been started or stopped before.");
            }

            _started = true;
            try
            {
                Start(new ApplicationRunner<TContext>(application), cancellationToken);
            }
            catch
            {
                Release();
                throw;
            }
        }

        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        Task stop;
        lock (_lock)
        {
            stop = _stop ??= EndingThreads.RunAsync(() => StopOnceAsync(_stopNow.Token));
        }

        // The token of each caller counts: disposal during a graceful stop ends the wait of that stop.
        using CancellationTokenRegistration registration =
            cancellationToken.UnsafeRegister(static stopNow => ((CancellationTokenSource)stopNow!).Cancel(), _stopNow);
        await stop.ConfigureAwait(false);
    }

    public void Dispose() => StopAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();

    public async ValueTask DisposeAsync() =>
        await StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);

    private void Start(ApplicationRunner runner, CancellationToken cancellationToken)
    {
        LoadForFirstRequest();
        EndingThreads.Prepare();
        IReadOnlyList<FastCgiListenOptions> forStatus = ChooseStatusEndpoints();
        var selection = new EndpointSelection(_options, _launch, _notices, forStatus);
        _asked = _addresses.Copy();
        IReadOnlyList<FastCgiListenOptions> chosen = Choose(selection);
        _notices.Unknown(_options.UnknownKeys);
        if (_options.Limits.MaxRequestBufferSize is not null && SpillFile.FindFault() is { } fault)
        {
            _notices.TemporaryFolderUnusable(fault);
        }

        _notices.Kestrel(_options.Kestrel, hasGateway: AddEndpoints is not null || KestrelListens);

        // Before the bind, so that the warning appears even if the bind fails.
        _notices.NotTaken([.. _launch.InheritedWithout([.. chosen, .. forStatus]).Select(_launch.Describe)]);
        _endpoints.Take(_binder.Bind(chosen, [], cancellationToken));
        _statusEndpoints.Take(_binder.Bind(forStatus, [], cancellationToken));
        Volatile.Write(ref _transport, CreateTransport());
        var server = new ServerContext(_options, _loggers, _timeProvider)
        {
            DiagnosticListener = _services.GetService<DiagnosticListener>(),
            Buffers = _services.GetService<BufferPool>() ?? BufferPool.Shared,
            Metrics = _metrics,
            ApplicationStopping = _applicationStopping,
        };
        _connections = new ConnectionSet(server, runner);
        DescriptorReserve? reserve = DescriptorReserve.OfProcess();
        StartStatus(_connections, reserve);
        _addresses.Publish(_endpoints.Current.Select(static endpoint => endpoint.Address));
        _endpoints.Start(_transport!, _connections, reserve);
        StartService(_connections);
        StartExit(_connections);
        _stopping = _applicationStopping.UnsafeRegister(
            static server => ((FastCgiServer)server!).OnHostStopping(), this);
        OpenMemory(_connections);
    }

    /// <summary>
    /// Loads the assemblies that each request needs. Loading one takes two descriptors. If that fails once, .NET
    /// regards the assembly as missing, and no request could be served.
    /// </summary>
    private static void LoadForFirstRequest() => GC.KeepAlive((Type[])
    [
        typeof(IHttpRequestFeature),
        typeof(Pipe),
        typeof(ReasonPhrases),
        typeof(HeaderNames),
        typeof(ImmutableArray),
        typeof(TlsCipherSuite),
        typeof(WebSocket),
        typeof(ClaimsPrincipal),
        typeof(X509Certificate2),
        typeof(HtmlEncoder),
    ]);

    private IReadOnlyList<FastCgiListenOptions> Choose(EndpointSelection selection) =>
        IsExclusive ? [] : selection.Choose(_asked!, AddEndpoints);

    /// <summary>Starts the messages to systemd, and the reloads.</summary>
    private void StartService(ConnectionSet connections)
    {
        _service = ServiceLink.Begin(_launch.Variable, Listeners, connections, _log, _applicationStopping);
        if (_service is { } service)
        {
            connections.Server.OnTick += service.Tick;
            StartReloads(connections.Server, service);
            service.Ready();
        }
    }

    private IEnumerable<EndpointListener> Listeners() =>
        _endpoints.Current.Select(static endpoint => endpoint.Listener);

    private IEnumerable<(EndPoint EndPoint, long Waiting)> Queues() =>
        from listener in Listeners()
        let queue = listener.ReadQueue()
        where queue is not null
        select (listener.LocalEndPoint, (long)queue.Value.Waiting);

    /// <summary>
    /// Ends the time for the stop. The host may call <see cref="StopAsync"/> late, because it runs in the thread pool,
    /// which requests may block until they are aborted.
    /// </summary>
    private void OnHostStopping()
    {
        if (_shutdownTimeout != Timeout.InfiniteTimeSpan)
        {
            _stopLimit = ServerTime.For(_timeProvider).CreateTimer(
                static server => _ = ((FastCgiServer)server!).StopAsync(new CancellationToken(canceled: true)),
                this,
                _shutdownTimeout,
                Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>
    /// Never runs in the thread pool, where requests may block all threads that it waits for. Never runs in the context
    /// of the caller either, because its only thread may be waiting in Dispose.
    /// </summary>
    private async Task StopOnceAsync(CancellationToken cancellationToken)
    {
        Volatile.Write(ref _connectInMemory, null);
        _service?.BeginStop();
        EndReloads();
        Task accepting = _endpoints.StopAsync(cancellationToken);

        // Idle connections end meanwhile, because connections that wait to be accepted may need their descriptors.
        _connections?.CloseForStop();
        await accepting.ConfigureAwait(true);
        if (_connections is { } connections
            && !await connections.WaitForAllAsync(cancellationToken).ConfigureAwait(true))
        {
            _notices.NotAllConnectionsClosedGracefully(connections.Server.OpenRequests, connections.Count);
            connections.AbortAll();
            using var timeout = new CancellationTokenSource(s_abortTimeout, ServerTime.For(_timeProvider));
            if (!await connections.WaitForAllAsync(timeout.Token).ConfigureAwait(true)
                && connections.Server.OpenRequests > 0)
            {
                _notices.NotAllConnectionsAborted(connections.Server.OpenRequests);
            }
        }

        Release();
    }

    private void Release()
    {
        _stopping.Unregister();
        _stopLimit?.Dispose();
        _endpoints.Dispose();
        EndReloads();
        _hangUp?.Dispose();
        _hangUp = null;
        _service?.Dispose();
        _service = null;
        _statusEndpoints.Dispose();
        _status?.Dispose();
        _status = null;
        _connections?.Dispose();
        _connections = null;
        Interlocked.Exchange(ref _transport, null)?.Dispose();
        _addresses.Reopen();
    }

    private ITransport CreateTransport() => _options.Transport switch
    {
        FastCgiTransport.Epoll when !OperatingSystem.IsLinux() => throw new PlatformNotSupportedException(
            "The transport Epoll exists on Linux only. Leave FastCgiServerOptions.Transport at Default."),
        FastCgiTransport.Sockets => new SocketsTransport(_transportLog),
        _ => OperatingSystem.IsLinux()
            ? new EpollTransport(_transportLog, _options.ThreadCount)
            : new SocketsTransport(_transportLog),
    };
}
