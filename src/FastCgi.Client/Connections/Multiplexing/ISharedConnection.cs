namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>A shared connection, for the stream of one request.</summary>
internal interface ISharedConnection
{
    /// <summary>Sends whole records of <paramref name="sender"/>, and notifies it when their turn comes.</summary>
    ValueTask SendAsync(
        MultiplexedStream sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken);

    /// <summary>Returns another id for the next request of a stream, or 0 if none is left.</summary>
    ushort Renew(MultiplexedStream stream);

    /// <summary>Removes a stream. False if it was the last one: then the connection is closed.</summary>
    /// <param name="id">The id of the stream.</param>
    /// <param name="isBusy">True if its request has not ended. Then it still counts.</param>
    bool Leave(ushort id, bool isBusy);

    /// <summary>Frees the id of a removed stream when the application has ended its request.</summary>
    void Free(ushort id);
}
