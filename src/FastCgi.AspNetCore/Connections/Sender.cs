namespace FastCgi.AspNetCore.Connections;

/// <summary>The sender of a socket at this moment. Others queue.</summary>
internal enum Sender
{
    /// <summary>Nothing is unsent, so the next caller sends by itself.</summary>
    Nobody,

    /// <summary>The transport has the block at the head of the queue.</summary>
    Transport,

    /// <summary>A thread sends a file, without the lock. What queues meanwhile follows the file.</summary>
    FileThread,
}
