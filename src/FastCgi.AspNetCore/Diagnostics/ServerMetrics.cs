using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// The meter <c>FastCgi.AspNetCore</c>, with names similar to Kestrel's. Does not repeat hosting's request metrics.
/// Whether a connection is counted is decided at its start, so that increments and decrements match.
/// </summary>
internal sealed class ServerMetrics
{
    public const string MeterName = "FastCgi.AspNetCore";

    private readonly UpDownCounter<long> _active;
    private readonly Histogram<double> _duration;
    private readonly Counter<long> _rejected;
    private readonly UpDownCounter<long> _upgraded;
    private readonly UpDownCounter<long> _queuedRequests;

    public ServerMetrics(
        IMeterFactory factory,
        Func<int> workerCount,
        Func<long>? rejectedRequests = null,
        Func<IEnumerable<(EndPoint EndPoint, long Waiting)>>? queues = null)
    {
        Meter meter = factory.Create(MeterName);
        _active = meter.CreateUpDownCounter<long>(
            "fastcgi.active_connections", "{connection}", "FastCGI connections that are open.");
        _duration = meter.CreateHistogram<double>(
            "fastcgi.connection.duration", "s", "How long FastCGI connections were open.");
        _rejected = meter.CreateCounter<long>(
            "fastcgi.rejected_connections", "{connection}",
            "Connections closed at once, by a limit or by AllowedClients.");
        _upgraded = meter.CreateUpDownCounter<long>(
            "fastcgi.upgraded_connections", "{connection}",
            "Connections that were upgraded, to WebSockets for instance, and are open.");
        _queuedRequests = meter.CreateUpDownCounter<long>(
            "fastcgi.queued_requests", "{request}",
            "Requests on multiplexed connections that wait for a thread.");
        meter.CreateObservableUpDownCounter(
            "fastcgi.worker_threads", workerCount, "{thread}",
            "Threads that receive requests and run the application.");
        meter.CreateObservableCounter(
            "fastcgi.rejected_requests", rejectedRequests ?? (static () => 0), "{request}",
            "Requests answered with 503 and FCGI_OVERLOADED, by a limit.");
        meter.CreateObservableUpDownCounter(
            "fastcgi.queued_connections",
            () => (queues?.Invoke() ?? []).Select(static queue =>
                new Measurement<long>(queue.Waiting, Tags(queue.EndPoint))),
            "{connection}",
            "Connections that wait to be accepted, as the system tells.");
    }

    /// <summary>True if there is a listener. Otherwise the address of a connection is not needed.</summary>
    public bool MeasuresConnections => _active.Enabled || _duration.Enabled;

    public ConnectionMetricsContext ConnectionStarted(EndPoint? endPoint)
    {
        var context = new ConnectionMetricsContext(
            endPoint, _active.Enabled, _duration.Enabled ? new ConnectionMetricsTags() : null);
        if (context.IsActiveCounted)
        {
            Add(_active, 1, Tags(endPoint));
        }

        return context;
    }

    public void ConnectionStopped(ConnectionMetricsContext context, TimeSpan age, ConnectionEndReason reason)
    {
        if (context.IsActiveCounted)
        {
            Add(_active, -1, Tags(context.EndPoint));
        }

        if (context.DurationTags is { } added)
        {
            TagList tags = Tags(context.EndPoint);
            if (ErrorType(reason) is { } error)
            {
                tags.Add("error.type", error);
            }

            foreach (KeyValuePair<string, object?> tag in added)
            {
                tags.Add(tag);
            }

            Guard(
                static state => state._duration.Record(state.TotalSeconds, state.tags),
                (_duration, age.TotalSeconds, tags));
        }
    }

    public void ConnectionRejected(EndPoint? endPoint)
    {
        if (_rejected.Enabled)
        {
            Guard(static state => state._rejected.Add(1, state.Tags), (_rejected, Tags: Tags(endPoint)));
        }
    }

    /// <summary>True if it is counted. Then <see cref="UpgradedEnded"/> must be called.</summary>
    public bool UpgradedStarted(EndPoint? endPoint)
    {
        bool isCounted = _upgraded.Enabled;
        if (isCounted)
        {
            Add(_upgraded, 1, Tags(endPoint));
        }

        return isCounted;
    }

    /// <summary>True if there is a listener. Otherwise the address of a queued request is not needed.</summary>
    public bool MeasuresQueuedRequests => _queuedRequests.Enabled;

    public void RequestQueued(EndPoint? endPoint) => Add(_queuedRequests, 1, Tags(endPoint));

    /// <summary>Called when a request runs that <see cref="RequestQueued"/> has counted.</summary>
    public void RequestDequeued(EndPoint? endPoint) => Add(_queuedRequests, -1, Tags(endPoint));

    public void UpgradedEnded(EndPoint? endPoint) => Add(_upgraded, -1, Tags(endPoint));

    private static void Add(UpDownCounter<long> counter, long value, in TagList tags) =>
        Guard(static state => state.counter.Add(state.value, state.tags), (counter, value, tags));

    /// <summary>
    /// Runs the callbacks of a MeterListener, which are user code, on threads that serve many connections. Their
    /// exceptions must neither end a connection nor stop the heartbeat.
    /// </summary>
    private static void Guard<TState>(Action<TState> measure, TState state)
    {
        try
        {
            measure(state);
        }
        catch (Exception)
        {
            // The other listeners miss this value. They belong to the same user.
        }
    }

    private static TagList Tags(EndPoint? endPoint)
    {
        var tags = new TagList();
        switch (endPoint)
        {
            case IPEndPoint ip:
                tags.Add("server.address", ip.Address.ToString());
                tags.Add("server.port", ip.Port);
                tags.Add("network.transport", "tcp");
                tags.Add("network.type", ip.AddressFamily == AddressFamily.InterNetworkV6 ? "ipv6" : "ipv4");
                break;
            case UnixDomainSocketEndPoint unix:
                tags.Add("server.address", unix.ToString());
                tags.Add("network.transport", "unix");
                break;
        }

        return tags;
    }

    private static string? ErrorType(ConnectionEndReason reason) => reason switch
    {
        ConnectionEndReason.KeepAliveTimeout => "keep_alive_timeout",
        ConnectionEndReason.SendTimeout => "send_timeout",
        ConnectionEndReason.MinResponseDataRate => "min_response_data_rate",
        ConnectionEndReason.ConnectionReset => "connection_reset",
        ConnectionEndReason.ProtocolViolation => "protocol_violation",
        ConnectionEndReason.AbortedByApplication => "aborted_by_app",
        ConnectionEndReason.RequestTimeout => "request_timeout",
        ConnectionEndReason.StopTimeout => "app_shutdown_timeout",
        _ => null,
    };
}

/// <summary>The decisions about a connection's metrics, made at its start.</summary>
internal sealed record ConnectionMetricsContext(
    EndPoint? EndPoint, bool IsActiveCounted, ConnectionMetricsTags? DurationTags);

/// <summary>
/// The tags that applications add to the metric of a connection's duration. Thread-safe, because requests may share a
/// connection. The last value of a name counts: a web server may keep a connection for millions of requests, and each
/// of them may add the same tag. One lock and little capacity, because each measured connection has such an object.
/// </summary>
internal sealed class ConnectionMetricsTags()
    : ConcurrentDictionary<string, object?>(concurrencyLevel: 1, capacity: 1),
        ICollection<KeyValuePair<string, object?>>
{
    void ICollection<KeyValuePair<string, object?>>.Add(KeyValuePair<string, object?> item) =>
        this[item.Key] = item.Value;
}

/// <summary>The reason why a connection ended: the error.type of its metrics, unless it ended normally.</summary>
internal enum ConnectionEndReason
{
    /// <summary>The peer closed or reset it between two requests.</summary>
    ClientClosed,

    /// <summary>Its last request ended, and the peer did not ask to keep it or the server stops.</summary>
    RequestsEnded,

    KeepAliveTimeout,
    SendTimeout,
    MinResponseDataRate,

    /// <summary>The peer closed or reset it during a request.</summary>
    ConnectionReset,

    ProtocolViolation,

    /// <summary>The application aborted a request, or failed after its response had begun.</summary>
    AbortedByApplication,

    /// <summary>A response had begun, and did not end within RequestTimeout.</summary>
    RequestTimeout,

    /// <summary>The server stopped before its requests had ended.</summary>
    StopTimeout,
}
