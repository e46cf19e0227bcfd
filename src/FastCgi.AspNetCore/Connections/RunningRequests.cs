using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The running requests of a connection, for the log and for the status page.</summary>
internal readonly struct RunningRequests(ServerContext server, ISlotHost host, Lock gate, SlotTable slots)
{
    /// <summary>Requests that have begun on this connection.</summary>
    public long Begun
    {
        get
        {
            using (LockOrder.Enter(gate, LockRank.Gate))
            {
                return slots.Begun;
            }
        }
    }

    public void AddTo(ICollection<RequestSnapshot> requests)
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            foreach (RequestSlot slot in slots.ToArray())
            {
                requests.Add(slot.Describe(slots.Begun));
            }
        }
    }

    /// <summary>
    /// Names in the log what the end of a stop is about to abort: as many requests as <paramref name="unnamed"/>
    /// allows, which is less by them afterwards.
    /// </summary>
    public void NameForStop(ref int unnamed)
    {
        using (LockOrder.Enter(gate, LockRank.Gate))
        {
            foreach (RequestSlot slot in slots.ToArray())
            {
                if (unnamed-- > 0)
                {
                    TimeSpan age = server.TimeProvider.GetElapsedTime(slot.Request.BegunAt);
                    ConnectionLogs.AbortedByStop(
                        server.ConnectionLog,
                        host.Id,
                        slot.RequestId,
                        slot.DescribeTarget(),
                        age.TotalSeconds,
                        slot.DescribeState());
                }
            }
        }
    }
}
