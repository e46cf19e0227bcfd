namespace FastCgi.Client.Connections;

/// <summary>One stream to the application, and what the pool has to know about it.</summary>
/// <param name="stream">The stream; the pool closes it.</param>
/// <param name="requestId">The id of its first request.</param>
/// <param name="createdAt">As a timestamp of the time provider.</param>
/// <param name="nextId">
/// The id of each further request; 0: there is none left. Null: the stream is no other's, and ids count up.
/// </param>
internal sealed class PooledConnection(
    Stream stream, ushort requestId, long createdAt, Func<ushort>? nextId = null)
{
    public Stream Stream { get; } = stream;

    /// <summary>The id of the request that is under way, or comes next.</summary>
    public ushort RequestId { get; private set; } = requestId;

    /// <summary>It is one of several on a connection that the application must keep for the others.</summary>
    public bool IsShared => nextId is not null;

    /// <summary>As a timestamp of the time provider.</summary>
    public long CreatedAt { get; } = createdAt;

    /// <summary>As a timestamp of the time provider.</summary>
    public long IdleSince { get; set; }

    /// <summary>It has served a request before, so that the peer may have closed it meanwhile.</summary>
    public bool IsReused { get; set; }

    /// <summary>The metrics have it.</summary>
    public bool IsCounted { get; set; }

    /// <summary>
    /// The next request has an id of its own, so that nothing that comes late is taken for its answer. False: no id is
    /// left.
    /// </summary>
    public bool TryRenew() => (RequestId = nextId?.Invoke() ?? (ushort)(RequestId + 1)) != 0;

    /// <summary>Ends reads and writes that are under way. The pool still counts the connection.</summary>
    public void Close() => Close(Stream);

    /// <summary>Disposes a connection whose stream may be the caller's, and then may throw anything.</summary>
    public static void Close(Stream stream)
    {
        try
        {
            stream.Dispose();
        }
        catch (Exception)
        {
            // What ends with the connection must not be lost: a place in the pool, the requests that share it.
        }
    }
}
