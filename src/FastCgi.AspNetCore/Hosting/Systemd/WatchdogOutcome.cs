namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>What became of a connection of the server to itself.</summary>
internal enum WatchdogOutcome
{
    /// <summary>The server accepted, read and closed it.</summary>
    Answered,

    /// <summary>Nothing of that happened in time.</summary>
    Silent,

    /// <summary>The system does not let this process connect, which says nothing about the server.</summary>
    Forbidden,
}
