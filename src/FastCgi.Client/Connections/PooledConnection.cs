namespace FastCgi.Client.Connections;

/// <summary>One stream to the application, with its data for the pool.</summary>
/// <param name="stream">The stream, which the pool closes.</param>
/// <param name="requestId">The id of its first request.</param>
/// <param name="createdAt">A timestamp of the time provider.</param>
/// <param name="nextId">
/// Returns the id of each further request, or 0 if none is left. Null if the stream is not shared: then ids count up.
/// </param>
internal sealed class PooledConnection(
    Stream stream, ushort requestId, long createdAt, Func<ushort>? nextId = null)
{
    public Stream Stream { get; } = stream;

    /// <summary>The id of the current or next request.</summary>
    public ushort RequestId { get; private set; } = requestId;

    /// <summary>True for one of several streams on a connection that the application must keep for them.</summary>
    public bool IsShared => nextId is not null;

    /// <summary>A timestamp of the time provider.</summary>
    public long CreatedAt { get; } = createdAt;

    /// <summary>A timestamp of the time provider.</summary>
    public long IdleSince { get; set; }

    /// <summary>True if it has served a request. Then the peer may have closed it in the meantime.</summary>
    public bool IsReused { get; set; }

    /// <summary>True if the metrics include it.</summary>
    public bool IsCounted { get; set; }

    /// <summary>
    /// Takes a new id for the next request, so that late records are not taken for its answer. False if no id is left.
    /// </summary>
    public bool TryRenew() => (RequestId = nextId?.Invoke() ?? (ushort)(RequestId + 1)) != 0;

    /// <summary>Ends running reads and writes. The pool still counts the connection.</summary>
    public void Close() => Close(Stream);

    /// <summary>Disposes a stream, which may be the caller's and may throw any exception.</summary>
    public static void Close(Stream stream)
    {
        try
        {
            stream.Dispose();
        }
        catch (Exception)
        {
            // The cleanup that follows must still happen: a place in the pool, the requests that share it.
        }
    }
}
