namespace FastCgi.Client.Connections;

/// <summary>One stream to the application, and what the pool has to know about it.</summary>
internal sealed class PooledConnection(Stream stream, ushort requestId, long createdAt)
{
    public Stream Stream { get; } = stream;

    /// <summary>The id of requests on it. Web servers that do not multiplex always use 1.</summary>
    public ushort RequestId { get; } = requestId;

    /// <summary>It is one of several on a connection that the application must keep for the others.</summary>
    public bool IsShared { get; init; }

    /// <summary>As a timestamp of the time provider.</summary>
    public long CreatedAt { get; } = createdAt;

    /// <summary>As a timestamp of the time provider.</summary>
    public long IdleSince { get; set; }

    /// <summary>It has served a request before, so that the peer may have closed it meanwhile.</summary>
    public bool IsReused { get; set; }

    /// <summary>The metrics have it.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Ends reads and writes that are under way. The pool still counts the connection.</summary>
    public void Close()
    {
        try
        {
            Stream.Dispose();
        }
        catch (Exception)
        {
            // A stream of the caller's may throw anything, and the place in the pool must not be lost.
        }
    }
}
