namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>The place of a lock in the lock order of docs/architecture.md.</summary>
internal enum LockRank
{
    /// <summary>The gate of a connection.</summary>
    Gate,

    /// <summary>The lock of a body or of a response; a thread has one of them at a time.</summary>
    Request,

    /// <summary>The lock of a send queue.</summary>
    Output,

    /// <summary>A lock of the transport.</summary>
    Transport,
}
