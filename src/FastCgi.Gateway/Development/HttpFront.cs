using System.Text;
using FastCgi.Gateway.Forwarding;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.Gateway.Development;

/// <summary>Kestrel, its private endpoints, and the connections to them.</summary>
internal sealed class HttpFront(IServer kestrel, ILoggerFactory loggers) : IDisposable
{
    private const string Category = "FastCgi.Gateway.Development";

    /// <summary>Enough for a browser with many tabs, and for a load test.</summary>
    private const int MaxConnections = 10_000;

    /// <summary>
    /// 1 MiB. The FastCGI server warns about heads that are too long for nginx, so they are not refused here.
    /// </summary>
    private const int MaxHeadKilobytes = 1024;

    private readonly ILogger _log = loggers.CreateLogger(Category);
    private readonly List<HttpMessageInvoker> _destinations = [];

    public PrivateEndpoints Endpoints { get; } = new();

    public IServerAddressesFeature Addresses => kestrel.Features.GetRequiredFeature<IServerAddressesFeature>();

    /// <param name="requests">The private address for requests.</param>
    /// <param name="upgrades">The private address for requests that upgrade their connection.</param>
    /// <param name="maxBodySize">The limit of the application; null for none.</param>
    /// <param name="cancellationToken">Ends the start.</param>
    public async Task StartAsync(
        string requests, string upgrades, long? maxBodySize, CancellationToken cancellationToken)
    {
        var application = new FrontApplication(ForwarderTo(requests), ForwarderTo(upgrades), maxBodySize, _log);
        await kestrel.StartAsync(application, cancellationToken).ConfigureAwait(false);
        DevelopmentLog.DevelopmentGatewayStarted(_log, string.Join(", ", Addresses.Addresses), requests);
    }

    /// <summary>Lets requests end, then closes the connections to the FastCGI server.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await kestrel.StopAsync(cancellationToken).ConfigureAwait(false);
        _destinations.ForEach(static destination => destination.Dispose());
    }

    /// <summary>Removes the sockets, which are no longer used.</summary>
    public void Dispose()
    {
        kestrel.Dispose();
        Endpoints.Dispose();
    }

    private RequestForwarder ForwarderTo(string address)
    {
        var options = new FastCgiHandlerOptions
        {
            Endpoint = address,
            MaxConnections = MaxConnections,
            // The application may be stopped in a debugger.
            ResponseIdleTimeout = Timeout.InfiniteTimeSpan,
            MaxResponseHeadersLength = MaxHeadKilobytes,
            FollowLocalRedirects = false,
            StandardError = WriteError,
            UnknownLengthBody = FastCgiUnknownLengthBody.Stream,
            // As through a web server, the client's trace headers are passed on unchanged.
            ActivityHeadersPropagator = null,
        };
        options.ScriptExtensions.Clear();
        var destination = new HttpMessageInvoker(new FastCgiHandler(options));
        _destinations.Add(destination);
        return new RequestForwarder(
            destination, new ForwardingRules { Endpoint = address }, loggers.CreateLogger(Category));
    }

    private void WriteError(HttpRequestMessage request, ReadOnlyMemory<byte> text) =>
        DevelopmentLog.WebServerErrorLog(_log, Encoding.UTF8.GetString(text.Span).TrimEnd());
}
