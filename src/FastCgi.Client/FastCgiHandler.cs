using FastCgi.Client.Connections;
using FastCgi.Client.Connections.Multiplexing;
using FastCgi.Client.Diagnostics;
using FastCgi.Client.Sending;

namespace FastCgi.Client;

/// <summary>
/// Sends the requests of an <see cref="HttpClient"/> to an application that speaks FastCGI 1.0 or SCGI, over TCP, a
/// unix socket or any stream. Thread-safe. Use one handler for many requests, because it keeps connections.
/// </summary>
/// <example>
/// <code>
/// using var client = new HttpClient(new FastCgiHandler("unix:/run/app/app.sock"))
/// {
///     BaseAddress = new Uri("http://localhost/"),
/// };
/// string page = await client.GetStringAsync("/");
/// </code>
/// </example>
/// <remarks>
/// The URI of a request is what the application sees (host, scheme, target), not the address where it listens. The
/// caller handles redirects, cookies and decompression.
/// </remarks>
public sealed class FastCgiHandler : HttpMessageHandler
{
    private readonly RequestSender _sender;
    private readonly RequestTelemetry _telemetry;

    /// <summary>Creates a handler with default options.</summary>
    /// <param name="endpoint">The address of the application: <see cref="FastCgiHandlerOptions.Endpoint"/>.</param>
    /// <exception cref="FormatException">The endpoint is not an address to connect to.</exception>
    public FastCgiHandler(string endpoint)
        : this(new FastCgiHandlerOptions { Endpoint = endpoint })
    {
    }

    /// <summary>Creates a handler with a copy of the options.</summary>
    /// <exception cref="FormatException">The endpoint is not an address to connect to.</exception>
    /// <exception cref="ArgumentException">An option is invalid. The message names it.</exception>
    public FastCgiHandler(FastCgiHandlerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        HandlerSettings settings = HandlerSettings.From(options);
        var connector = new Connector(
            settings.Target, options.ConnectCallback, settings.ConnectTimeout, options.TimeProvider);
        var metrics = new HandlerMetrics(options.MeterFactory, settings.Rules.IsScgi);
        IConnector shared = options.MultiplexRequests && !settings.Rules.IsScgi
            ? new MultiplexingConnector(connector, settings.ConnectTimeout, settings.Limits, options.TimeProvider)
            : connector;
        _sender = new RequestSender(
            settings, new ConnectionPool(shared, settings.Limits, metrics, settings.Target, options.TimeProvider));
        _telemetry = new RequestTelemetry(metrics, options.ActivityHeadersPropagator);
    }

    /// <inheritdoc/>
    protected override Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _telemetry.IsEnabled
            ? _telemetry.SendAsync(_sender.SendAsync, request, cancellationToken)
            : _sender.SendAsync(request, cancellationToken);
    }

    /// <summary>Sends a request, and blocks the thread until the response head has come.</summary>
    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken) =>
        SendAsync(request, cancellationToken).GetAwaiter().GetResult();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _sender.Dispose();
        }

        base.Dispose(disposing);
    }
}
