using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace FastCgi.Client.Diagnostics;

/// <summary>
/// The instruments of <see cref="SocketsHttpHandler"/>, with its names and tags, so that dashboards for HTTP clients
/// also show these requests. <c>network.protocol.name</c> distinguishes them.
/// </summary>
internal sealed class HandlerMetrics
{
    private const string MeterName = "System.Net.Http";

    private static readonly Meter s_meter = new(MeterName);

    private readonly UpDownCounter<long> _openConnections;
    private readonly KeyValuePair<string, object?> _protocol;

    public HandlerMetrics(IMeterFactory? factory, bool isScgi)
    {
        Meter meter = factory?.Create(MeterName) ?? s_meter;
        RequestDuration = meter.CreateHistogram<double>(
            "http.client.request.duration", unit: "s", description: "Duration of HTTP client requests.");
        ActiveRequests = meter.CreateUpDownCounter<long>(
            "http.client.active_requests", unit: "{request}", description: "Number of active HTTP requests.");
        TimeInQueue = meter.CreateHistogram<double>(
            "http.client.request.time_in_queue",
            unit: "s",
            description: "The amount of time requests spent on a queue waiting for an available connection.");
        _openConnections = meter.CreateUpDownCounter<long>(
            "http.client.open_connections",
            unit: "{connection}",
            description: "Number of outbound HTTP connections that are currently active or idle on the client.");
        _protocol = new("network.protocol.name", isScgi ? "scgi" : "fastcgi");
    }

    public Histogram<double> RequestDuration { get; }

    public UpDownCounter<long> ActiveRequests { get; }

    public Histogram<double> TimeInQueue { get; }

    public bool AreConnectionsCounted => _openConnections.Enabled;

    /// <summary>Counts a connection that enters or leaves a state.</summary>
    public void CountConnection(long delta, bool isIdle, in TagList endpoint)
    {
        TagList tags = endpoint;
        tags.Add(_protocol);
        tags.Add("http.connection.state", isIdle ? "idle" : "active");
        _openConnections.Add(delta, tags);
    }

    /// <summary>The tags of a request that are known at its start.</summary>
    public TagList TagsOf(HttpRequestMessage request)
    {
        TagList tags = default;
        tags.Add("http.request.method", KnownMethod(request.Method));
        if (request.RequestUri is { IsAbsoluteUri: true } uri)
        {
            tags.Add("url.scheme", uri.Scheme);
            tags.Add("server.address", uri.IdnHost);
            tags.Add("server.port", uri.Port);
        }

        tags.Add(_protocol);
        return tags;
    }

    /// <summary>A standard method, or _OTHER, so that other methods do not each create a series.</summary>
    public static string KnownMethod(HttpMethod method) => HttpMethod.Parse(method.Method).Method switch
    {
        var known and
            ("GET" or "HEAD" or "POST" or "PUT" or "DELETE" or "OPTIONS" or "TRACE" or "PATCH" or "CONNECT") => known,
        _ => "_OTHER",
    };
}
