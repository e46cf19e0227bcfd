namespace FastCgi.Client.Connections;

/// <summary>
/// Records how the peer keeps connections. Some peers close them behind each answer, or behind so many, although they
/// were asked to keep them. Used under the lock of the pool.
/// </summary>
internal sealed class KeepingRecord(TimeProvider clock)
{
    /// <summary>A peer that closes does so at once, and a read ahead shows it then.</summary>
    private static readonly TimeSpan s_settled = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan s_distrust = TimeSpan.FromMinutes(1);

    private bool _hasKept;
    private long? _closedAt;

    /// <summary>The peer has kept connections, and closed none lately.</summary>
    public bool IsGood => _hasKept && (_closedAt is not { } at || clock.GetElapsedTime(at) >= s_distrust);

    /// <summary>A kept connection has served another request.</summary>
    public void OnKept() => _hasKept = true;

    /// <summary>A kept connection proved to be closed.</summary>
    public void OnClosed() => _closedAt = clock.GetTimestamp();

    /// <summary>The connection has been idle for so long that its end would show.</summary>
    public bool IsSettled(PooledConnection idle) => clock.GetElapsedTime(idle.IdleSince) >= s_settled;
}
