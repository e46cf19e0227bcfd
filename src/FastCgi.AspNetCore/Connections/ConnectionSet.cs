using System.Collections.Concurrent;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>All connections of a started server: accepted, counted, ticked once a second, ended at the stop.</summary>
internal sealed partial class ConnectionSet : IDisposable
{
    /// <summary>Limit for the requests named at a stop: enough to find the cause, without a flood.</summary>
    private const int MostNamedAtStop = 10;

    // A set: the values are unused. .NET has precompiled code for dictionaries with reference values.
    private readonly ConcurrentDictionary<PeerConnection, object?> _connections = new();
    private readonly RequestPool _pool;
    private readonly Heartbeat _heartbeat;
    private readonly Action<PeerConnection, ConnectionEndReason> _onClosed;
    private TaskCompletionSource? _empty;
    private bool _stopping;
    private bool _aborting;
    private int _count;
    private long _begunOnClosed;
    private long _accepted;

    public ConnectionSet(ServerContext server, ApplicationRunner runner)
    {
        Server = server;
        server.OnRequestsGone = CompleteIfEmpty;
        _pool = new RequestPool(server, runner);
        _onClosed = OnClosed;
        _heartbeat = new Heartbeat(server.TimeProvider, OnHeartbeat, server.ConnectionLog, NeedsHeartbeat);
    }

    public int Count => Volatile.Read(ref _count);

    public ServerContext Server { get; }

    /// <summary>Connections accepted since the start.</summary>
    public long Accepted => Interlocked.Read(ref _accepted);

    /// <summary>
    /// Requests since the start. A request may be missing for a moment while its connection closes, but not if
    /// <see cref="Count"/> was read before and no longer included that connection.
    /// </summary>
    public long BegunRequests =>
        Interlocked.Read(ref _begunOnClosed) + _connections.Keys.Sum(static connection => connection.BegunRequests);

    /// <summary>Describes all running requests, including those whose peer has left.</summary>
    public IReadOnlyList<RequestSnapshot> DescribeRequests()
    {
        var requests = new List<RequestSnapshot>();
        foreach (PeerConnection connection in _connections.Keys)
        {
            connection.DescribeRequests(requests);
        }

        _pool.DescribeAbandoned(requests);
        return requests;
    }

    /// <summary>Takes over a socket. Closes it if too many are open or the stop is out of time. Never throws.</summary>
    public void OnAccepted(TransportConnection transport, FastCgiListenOptions endpoint)
    {
        if (!Server.TryCountConnection())
        {
            ConnectionRejected(Server.ConnectionLog, Server.Limits.MaxConcurrentConnections);
            Reject(transport, transport.LocalEndPoint);
            return;
        }

        Interlocked.Increment(ref _count);
        _heartbeat.Wake(Server.Clock);
        Interlocked.Increment(ref _accepted);
        var connection = new PeerConnection(Server, _pool, transport, endpoint, _onClosed)
        {
            Metrics = Server.Metrics is { MeasuresConnections: true } metrics
                ? metrics.ConnectionStarted(transport.LocalEndPoint)
                : null,
        };
        connection.Announce();

        _connections[connection] = null;

        // Checked only here: a listener or a logger may have blocked this thread until the end of the stop.
        if (Volatile.Read(ref _aborting))
        {
            connection.AbortForStop();
            return;
        }

        connection.Start();
        if (Volatile.Read(ref _stopping) || endpoint.Generation.HasEnded)
        {
            connection.CloseForStop();
        }
    }

    /// <summary>Closes an accepted socket unserved, and counts it for the endpoint.</summary>
    public void Reject(TransportConnection transport, EndPoint? endPoint)
    {
        Server.Metrics?.ConnectionRejected(endPoint);
        FastCgiEventSource.Log.ConnectionRejected();
        transport.Close();
    }

    /// <summary>Asks the connections of one endpoint to end: idle ones now, busy ones after their requests.</summary>
    public void CloseAllOf(EndpointGeneration generation)
    {
        generation.HasEnded = true;
        foreach (PeerConnection connection in _connections.Keys.Where(one => one.Endpoint.Generation == generation))
        {
            connection.CloseForStop();
        }
    }

    /// <summary>Asks each connection to end: idle ones now, busy ones after their requests.</summary>
    public void CloseForStop()
    {
        Volatile.Write(ref _stopping, true);
        foreach (PeerConnection connection in _connections.Keys)
        {
            connection.CloseForStop();
        }
    }

    /// <summary>Keeps the heartbeat running even without connections and requests.</summary>
    public void TickWhenIdle()
    {
        Server.TicksWhenIdle = true;
        _heartbeat.Wake(Server.Clock);
    }

    /// <summary>Waits until all connections and requests have ended. False if the token was cancelled first.</summary>
    public async Task<bool> WaitForAllAsync(CancellationToken token)
    {
        var empty = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Volatile.Write(ref _empty, empty);
        Volatile.Write(ref _stopping, true);
        CompleteIfEmpty();
        try
        {
            await empty.Task.WaitAsync(token).ConfigureAwait(true);
            return true;
        }
        catch (OperationCanceledException)
        {
            return empty.Task.IsCompleted;
        }
    }

    /// <summary>Ends all connections and aborts their requests. One that is being handed over is not served.</summary>
    public void AbortAll()
    {
        int unnamed = MostNamedAtStop;
        foreach (PeerConnection connection in _connections.Keys)
        {
            connection.NameForStop(ref unnamed);
        }

        // Abort only after all are named: the end of one request may let another one end.
        Abort();
    }

    /// <summary>Ends every connection, including those that are accepted during or after this call.</summary>
    public void Dispose()
    {
        Abort();
        _heartbeat.Dispose();
    }

    private void Abort()
    {
        // Set the flag before the loop: a connection that is added to the table later checks it.
        Volatile.Write(ref _aborting, true);
        foreach (PeerConnection connection in _connections.Keys)
        {
            connection.AbortForStop();
        }
    }

    /// <summary>Called once for each connection, when its socket is closed and no request waits for it.</summary>
    private void OnClosed(PeerConnection connection, ConnectionEndReason reason)
    {
        if (_connections.TryRemove(connection, out _))
        {
            if (connection.Metrics is { } measured)
            {
                Server.Metrics?.ConnectionStopped(measured, connection.Age, reason);
            }

            FastCgiEventSource.Log.ConnectionEnded();
            if (FastCgiEventSource.Log.IsEnabled())
            {
                FastCgiEventSource.Log.ConnectionStop(connection.Id, reason.ToString());
            }

            Interlocked.Add(ref _begunOnClosed, connection.BegunRequests);
            Interlocked.Decrement(ref _count);
            CompleteIfEmpty();
        }
    }

    private bool NeedsHeartbeat() => Count > 0 || Server.OpenRequests > 0 || Server.TicksWhenIdle;

    private void OnHeartbeat()
    {
        Server.Clock.Tick();
        Server.Buffers.Trim();
        _pool.Trim();
        foreach (PeerConnection connection in _connections.Keys)
        {
            try
            {
                connection.OnHeartbeat();
            }
            catch (Exception exception)
            {
                // A failing connection must not prevent the ticks of the others.
                ConnectionLogs.ConnectionFailed(Server.ConnectionLog, exception, connection.Id);
            }
        }

        // Last, so a failure here does not prevent the tick of any connection.
        Server.OnTick?.Invoke();
    }

    private void CompleteIfEmpty()
    {
        if (Volatile.Read(ref _stopping) && Count == 0 && Server.OpenRequests == 0)
        {
            Volatile.Read(ref _empty)?.TrySetResult();
        }
    }

    [LoggerMessage(LogEvents.ConnectionRejected, LogLevel.Warning,
        "A connection was closed at once: {Limit} are open (MaxConcurrentConnections).")]
    private static partial void ConnectionRejected(ILogger logger, long? limit);
}
