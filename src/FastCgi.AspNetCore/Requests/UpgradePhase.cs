using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests;

/// <summary>How far the upgrade of a connection is. <see cref="UpgradePhases"/> has every transition.</summary>
internal enum UpgradePhase
{
    /// <summary>The application has not asked for it.</summary>
    Unasked,

    /// <summary>It counts for MaxConcurrentUpgradedConnections, and its head has not left.</summary>
    Switching,

    /// <summary>The application has both directions.</summary>
    Upgraded,

    /// <summary>The peer left, or the request has ended.</summary>
    Over,
}

/// <summary>The events of the upgrade of a connection.</summary>
internal enum UpgradeEvent
{
    /// <summary>The application asks for it, and there is room for one more.</summary>
    Begin,

    /// <summary>Its head has left.</summary>
    Succeed,

    /// <summary>The peer left, or the request has ended.</summary>
    End,
}

/// <summary>The transitions of <see cref="UpgradePhase"/>.</summary>
internal static class UpgradePhases
{
    /// <summary>Null where the event comes too late, or too early.</summary>
    public static UpgradePhase? After(UpgradePhase phase, UpgradeEvent happened)
    {
        Probe.Count(StateTable.Upgrade, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            (UpgradePhase.Unasked, UpgradeEvent.Begin) => UpgradePhase.Switching,
            (UpgradePhase.Switching, UpgradeEvent.Succeed) => UpgradePhase.Upgraded,
            (not UpgradePhase.Over, UpgradeEvent.End) => UpgradePhase.Over,
            _ => null,
        };
    }
}
