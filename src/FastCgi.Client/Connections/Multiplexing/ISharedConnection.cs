namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>What the stream of one request needs of the connection that it shares.</summary>
internal interface ISharedConnection
{
    /// <summary>Sends whole records of <paramref name="sender"/>, and tells it when their turn has come.</summary>
    ValueTask SendAsync(IRecordSender sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken);

    /// <summary>The id may be used for another stream.</summary>
    void Free(ushort id);
}
