using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Request objects for all connections of a server: a web server that opens a connection for each request costs no
/// new ones, and an idle connection holds none. The thread that ended a request usually begins the next one, with the
/// decoded strings of its web server still in the object.
/// </summary>
internal sealed class RequestPool(ServerContext server, ApplicationRunner runner)
{
    private const int Capacity = 256;

    [ThreadStatic]
    private static FastCgiRequest? t_last;

    [ThreadStatic]
    private static RequestPool? t_lastPool;

    private readonly SpareStack<FastCgiRequest> _spare = new();
    private int _trims;

    // Requests that their connection has forgotten while the application still runs: the peer aborted them, or is gone.
    // The lock keeps a request from the pool while it is described.
    private readonly Lock _abandonedLock = new();
    private readonly HashSet<FastCgiRequest> _abandoned = [];

    /// <summary>The number of spare requests that no thread keeps for itself.</summary>
    public int Free => _spare.Count;

    public FastCgiRequest Rent()
    {
        if (t_lastPool == this && t_last is { } last)
        {
            t_last = null;
            return last;
        }

        return _spare.TryPop() ?? new FastCgiRequest(server, runner);
    }

    /// <summary>Notes that the application alone has the request. Under the gate of the connection.</summary>
    public void Abandon(FastCgiRequest request)
    {
        lock (_abandonedLock)
        {
            request.IsAbandoned = true;
            _abandoned.Add(request);
        }
    }

    public void DescribeAbandoned(ICollection<RequestSnapshot> requests)
    {
        lock (_abandonedLock)
        {
            foreach (FastCgiRequest request in _abandoned)
            {
                requests.Add(request.Describe(begunOnConnection: 1));
            }
        }
    }

    /// <summary>Takes a request that has ended.</summary>
    public void Return(FastCgiRequest request)
    {
        if (request.IsAbandoned)
        {
            lock (_abandonedLock)
            {
                _abandoned.Remove(request);
            }
        }

        if (request.IsBegun)
        {
            request.Release();
        }

        if (t_last is null || t_lastPool != this)
        {
            // 21. Return: the thread keeps the request for its next request.
            t_last = request;
            t_lastPool = this;
            return;
        }

        if (_spare.Count < Capacity)
        {
            _spare.Push(request);
        }
    }

    /// <summary>
    /// Called about once a second. Leaves to the collector what no request needed since the last look: each object
    /// keeps the strings of its last request.
    /// </summary>
    public void Trim()
    {
        if (++_trims % LargeBuffers.TrimPeriod == 0)
        {
            _spare.Trim();
        }
    }
}
