using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>The figures of a started server, for its status page.</summary>
internal sealed class ServerStatus(
    string name, ConnectionSet connections, ITransport transport, Func<IEnumerable<EndpointListener>> listeners)
{
    private readonly Lock _lock = new();
    private readonly DateTimeOffset _started = connections.Server.TimeProvider.GetUtcNow();
    private readonly long _begun = connections.Server.TimeProvider.GetTimestamp();
    private long _mostWaiting;
    private long _accepted;

    /// <summary>Measures the queues, to record their maximum. Called once a second.</summary>
    public void Sample() => ReadQueues();

    public StatusSnapshot Take(bool isFull)
    {
        ServerContext server = connections.Server;
        long active = server.OpenRequests;
        long places = server.Limits.MaxConcurrentRequests ?? transport.WorkerCount;
        TimeSpan age = server.TimeProvider.GetElapsedTime(_begun);
        string manager = server.Options.ThreadCount is null ? "dynamic" : "static";
        return new StatusSnapshot(name, manager, server.TimeProvider.GetUtcNow(), _started, age)
        {
            Accepted = CountAccepted(),
            Active = active,
            Idle = Math.Max(0, places - active),
            LimitReached = server.LimitReached,
            Queue = ReadQueues(),
            MostActive = server.MostOpenRequests,
            Slow = server.SlowRequests,
            Requests = isFull ? connections.DescribeRequests() : null,
        };
    }

    /// <summary>A connection that closes during the count may be missing, but the figure never decreases.</summary>
    private long CountAccepted()
    {
        lock (_lock)
        {
            return _accepted = Math.Max(_accepted, connections.BegunRequests);
        }
    }

    private ListenQueueFigures? ReadQueues()
    {
        long waiting = 0;
        long length = 0;
        foreach (EndpointListener listener in listeners())
        {
            if (listener.ReadQueue() is not { } queue)
            {
                return null;
            }

            waiting += queue.Waiting;
            length += queue.Length;
        }

        lock (_lock)
        {
            _mostWaiting = Math.Max(_mostWaiting, waiting);
            return new ListenQueueFigures(waiting, _mostWaiting, length);
        }
    }
}
