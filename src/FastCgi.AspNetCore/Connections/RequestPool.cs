using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Request objects for all connections of a server. A web server that opens a connection for each request causes no new
/// objects, and an idle connection holds none. Usually the thread that ended a request begins the next one. Its object
/// still holds the decoded strings of that web server.
/// </summary>
internal sealed class RequestPool(ServerContext server, ApplicationRunner runner)
{
    private const int Capacity = 256;
    private const int Places = 64;
    private const int ReferencesInCacheLine = 8;

    // A place for each thread, as a rule. Not a static field of the thread: it would keep a stopped server, and with it
    // the application, as long as the thread lives.
    private readonly FastCgiRequest?[] _lastOfThread = new FastCgiRequest?[Places * ReferencesInCacheLine];
    private readonly SpareStack<FastCgiRequest> _spare = new();

    // Requests whose application still runs although their connection has dropped them: the peer aborted them or is
    // gone. The lock keeps a request out of the pool while it is being described.
    private readonly Lock _abandonedLock = new();
    private readonly HashSet<FastCgiRequest> _abandoned = [];

    /// <summary>The number of spare requests, except those that threads keep for themselves.</summary>
    public int Free => _spare.Count;

    private ref FastCgiRequest? LastOfThread =>
        ref _lastOfThread[Environment.CurrentManagedThreadId % Places * ReferencesInCacheLine];

    public FastCgiRequest Rent() =>
        Interlocked.Exchange(ref LastOfThread, null) ?? _spare.TryPop() ?? new FastCgiRequest(server, runner);

    /// <summary>Notes that only the application still uses the request. Under the gate of the connection.</summary>
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

        // 21. Return: the thread keeps the request for its next request.
        if (Interlocked.CompareExchange(ref LastOfThread, request, null) is not null && _spare.Count < Capacity)
        {
            _spare.Push(request);
        }
    }

    /// <summary>
    /// Called about once a second. Releases the objects that no request has needed since the last trim, because each
    /// one keeps the strings of its last request.
    /// </summary>
    public void Trim()
    {
        for (int place = 0; place < _lastOfThread.Length; place += ReferencesInCacheLine)
        {
            // The thread may have ended.
            if (Interlocked.Exchange(ref _lastOfThread[place], null) is { } last)
            {
                _spare.Push(last);
            }
        }

        _spare.Trim();
    }
}
