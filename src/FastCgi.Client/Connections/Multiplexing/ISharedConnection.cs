namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>A shared connection, as the stream of one request sees it.</summary>
internal interface ISharedConnection
{
    /// <summary>Sends whole records of <paramref name="sender"/>, and tells it when their turn has come.</summary>
    ValueTask SendAsync(
        MultiplexedStream sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken);

    /// <summary>Another id for the next request of a stream; 0: there is none left.</summary>
    ushort Renew(MultiplexedStream stream);

    /// <summary>The stream is not used any more. The last one closes the connection: false.</summary>
    /// <param name="id">The stream.</param>
    /// <param name="isBusy">Its request has not ended, and counts until it has.</param>
    bool Leave(ushort id, bool isBusy);

    /// <summary>The application has ended a request whose stream has left.</summary>
    void Free(ushort id);
}
