using System.Reflection;
using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Hosting;
using FastCgi.Client;
using FastCgi.Testing.Connections;
using FastCgi.Testing.Requests;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Mvc.Testing.Handlers;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace FastCgi.Testing.Hosting;

/// <summary>
/// The TestServer that WebApplicationFactory requires. For the host it is the FastCGI server: it reimplements IServer
/// and starts that server with the application. For clients it is still a TestServer, whose application forwards every
/// request over the socket.
/// </summary>
internal sealed class FastCgiTestServer : TestServer, IServer
{
    private readonly Lock _lock = new();
    private readonly List<IDisposable> _clients = [];
    private readonly FastCgiServer _server;
    private readonly PrivateEndpoint _endpoint;
    private bool _isStopped;

    private FastCgiTestServer(
        IServiceProvider services, FastCgiServer server, PrivateEndpoint endpoint, IOptions<TestServerOptions> options)
        : base(services, server.Features, options) =>
        (_server, _endpoint) = (server, endpoint);

    /// <summary>
    /// Adds the FastCGI server by its own type. The factory's server remains the last one registered, which the host
    /// starts.
    /// </summary>
    public static void AddServer(IServiceCollection services)
    {
        services.AddFastCgiOptions();
        services.AddSingleton<FastCgiServer>();

        // This is the application's own address, which the next factory could not bind again.
        services.PostConfigure<FastCgiServerOptions>(static options => options.Status.Endpoint = null);
    }

    public static FastCgiTestServer Create(IServiceProvider services, FastCgiTestEndpoint endpoint) => new(
        services,
        services.GetRequiredService<FastCgiServer>(),
        PrivateEndpoint.Create(endpoint),
        services.GetRequiredService<IOptions<TestServerOptions>>());

    /// <summary>Creates a client with the same handlers as those of WebApplicationFactory.</summary>
    public HttpClient CreateClient(FastCgiTestClientOptions options)
    {
        HttpMessageHandler handler = new ClientFactsHandler(options, CreateHandler(options));
        if (options.HandleCookies)
        {
            handler = new CookieContainerHandler { InnerHandler = handler };
        }

        if (options.AllowAutoRedirect)
        {
            handler = new RedirectHandler(options.MaxAutomaticRedirections) { InnerHandler = handler };
        }

        return Track(new HttpClient(handler) { BaseAddress = options.BaseAddress });
    }

    public async Task<FastCgiTestConnection> ConnectAsync(
        FastCgiTestClientOptions options, CancellationToken cancellationToken)
    {
        IConnectionEnd end = await _endpoint.ConnectAsync(cancellationToken).ConfigureAwait(false);
        return Track(new FastCgiTestConnection(end, options));
    }

    async Task IServer.StartAsync<TContext>(
        IHttpApplication<TContext> application, CancellationToken cancellationToken)
    {
        _endpoint.Announce(_server);
        await _server.StartAsync(new ControlledApplication<TContext>(this, application), cancellationToken)
            .ConfigureAwait(false);
        _endpoint.OnBound(Features);
        await StartFrontAsync(cancellationToken).ConfigureAwait(false);
    }

    async Task IServer.StopAsync(CancellationToken cancellationToken)
    {
        DisposeClients();
        try
        {
            await _server.StopAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _endpoint.Dispose();
        }
    }

    void IDisposable.Dispose()
    {
        base.Dispose();
        DisposeClients();
        _server.Dispose();
        _endpoint.Dispose();
    }

    /// <summary>
    /// Starts the base class with the forwarding application. This class reimplements its IServer, so C# cannot call
    /// the base method; the interface map finds it.
    /// </summary>
    private Task StartFrontAsync(CancellationToken cancellationToken)
    {
        FastCgiHandler handler = CreateHandler(new FastCgiTestClientOptions());
        var front = new ForwardingApplication(Track(new HttpMessageInvoker(handler)));
        MethodInfo start = typeof(TestServer).GetInterfaceMap(typeof(IServer)).TargetMethods
            .Single(static method => method.IsGenericMethodDefinition);
        return (Task)start.MakeGenericMethod(typeof(HttpContext)).Invoke(this, [front, cancellationToken])!;
    }

    private FastCgiHandler CreateHandler(FastCgiTestClientOptions options) => new(new FastCgiHandlerOptions
    {
        Endpoint = _endpoint.Address,
        StandardError = options.StandardError,
        ConnectCallback = async (_, cancellationToken) => SplitStream.Over(
            await _endpoint.ConnectAsync(cancellationToken).ConfigureAwait(false), options.WriteSize),
    });

    private T Track<T>(T client)
        where T : IDisposable
    {
        lock (_lock)
        {
            if (!_isStopped)
            {
                _clients.Add(client);
                return client;
            }
        }

        client.Dispose();
        throw new ObjectDisposedException(nameof(FastCgiTestServer), "The factory has been disposed.");
    }

    private void DisposeClients()
    {
        IDisposable[] clients;
        lock (_lock)
        {
            _isStopped = true;
            clients = [.. _clients];
            _clients.Clear();
        }

        // Outside the lock: the factory and the application's Main may dispose the host at the same time.
        Array.ForEach(clients, static client => client.Dispose());
    }

    /// <summary>The application, with the settings of TestServer that a test may change at any time.</summary>
    private sealed class ControlledApplication<TContext>(TestServer settings, IHttpApplication<TContext> application)
        : IHttpApplication<TContext>
        where TContext : notnull
    {
        public TContext CreateContext(IFeatureCollection contextFeatures)
        {
            if (settings.AllowSynchronousIO)
            {
                contextFeatures.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = true;
            }

            return application.CreateContext(contextFeatures);
        }

        public Task ProcessRequestAsync(TContext context) => application.ProcessRequestAsync(context);

        public void DisposeContext(TContext context, Exception? exception) =>
            application.DisposeContext(context, exception);
    }
}
