namespace FastCgi.Client.Connections;

/// <summary>
/// Records how the peer keeps connections. Some peers close them after each answer, or after a number of answers,
/// although they were asked to keep them. Used under the lock of the pool.
/// </summary>
internal sealed class KeepingRecord(TimeProvider clock)
{
    /// <summary>A peer that closes does so at once. After this time, a read ahead would show it.</summary>
    private static readonly TimeSpan s_settled = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan s_distrust = TimeSpan.FromMinutes(1);

    private bool _hasKept;
    private long? _closedAt;

    /// <summary>True if the peer has kept connections and has not closed one recently.</summary>
    public bool IsGood => _hasKept && (_closedAt is not { } at || clock.GetElapsedTime(at) >= s_distrust);

    /// <summary>Notes that a kept connection has served another request.</summary>
    public void OnKept() => _hasKept = true;

    /// <summary>Notes that a kept connection proved to be closed.</summary>
    public void OnClosed() => _closedAt = clock.GetTimestamp();

    /// <summary>True if the connection has been idle for so long that its end would be visible.</summary>
    public bool IsSettled(PooledConnection idle) => clock.GetElapsedTime(idle.IdleSince) >= s_settled;
}
