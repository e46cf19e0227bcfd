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

    private readonly Lock _lock = new();
    private readonly RequestSlot[] _spare = new RequestSlot[Capacity];
    private int _count;

    public AbandonedRequests Abandoned { get; } = new();

    public RequestSlot Rent()
    {
        if (t_lastPool == this && t_last is { } last)
        {
            t_last = null;
            return last;
        }

        lock (_lock)
        {
            if (_count > 0)
            {
                RequestSlot spare = _spare[--_count];
                _spare[_count] = null!;
                return spare;
            }
        }

        return new RequestSlot(server, runner);
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

        lock (_lock)
        {
            if (_count < Capacity)
            {
                _spare[_count++] = slot;
            }
        }
    }
}
