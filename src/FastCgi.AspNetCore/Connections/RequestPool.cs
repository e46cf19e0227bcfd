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
    private static RequestSlot? t_last;

    [ThreadStatic]
    private static RequestPool? t_lastPool;

    private readonly SpareStack<RequestSlot> _spare = new();
    private int _trims;

    public AbandonedRequests Abandoned { get; } = new();

    /// <summary>The number of spare requests that no thread keeps for itself.</summary>
    public int Free => _spare.Count;

    public RequestSlot Rent()
    {
        if (t_lastPool == this && t_last is { } last)
        {
            t_last = null;
            return last;
        }

        return _spare.TryPop() ?? new RequestSlot(server, runner);
    }

    /// <summary>Takes a request that has ended.</summary>
    public void Return(RequestSlot slot)
    {
        if (slot.IsAbandoned)
        {
            Abandoned.Remove(slot);
        }

        slot.Reset();
        if (t_last is null || t_lastPool != this)
        {
            // 21. Return: the thread keeps the slot for its next request.
            t_last = slot;
            t_lastPool = this;
            return;
        }

        if (_spare.Count < Capacity)
        {
            _spare.Push(slot);
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
