using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Requests that their connection has forgotten while the application still runs: the peer aborted them, or is gone.
/// The lock keeps a request from the pool while it is looked at.
/// </summary>
internal sealed class AbandonedRequests
{
    private readonly Lock _lock = new();
    private readonly HashSet<RequestSlot> _slots = [];

    /// <summary>Under the gate of the connection.</summary>
    public void Add(RequestSlot slot)
    {
        lock (_lock)
        {
            slot.IsAbandoned = true;
            _slots.Add(slot);
        }
    }

    /// <summary>The application has left.</summary>
    public void Remove(RequestSlot slot)
    {
        lock (_lock)
        {
            _slots.Remove(slot);
        }
    }

    public void AddTo(ICollection<RequestSnapshot> requests)
    {
        lock (_lock)
        {
            foreach (RequestSlot slot in _slots)
            {
                requests.Add(slot.Describe(begunOnConnection: 1));
            }
        }
    }
}
