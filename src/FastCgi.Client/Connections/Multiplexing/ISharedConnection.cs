namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>What the stream of one request needs of the connection that it shares.</summary>
internal interface ISharedConnection
{
    /// <summary>Sends whole records.</summary>
    ValueTask SendAsync(ReadOnlyMemory<byte> records, CancellationToken cancellationToken);

    /// <summary>The id may be used for another stream.</summary>
    void Free(ushort id);
}
