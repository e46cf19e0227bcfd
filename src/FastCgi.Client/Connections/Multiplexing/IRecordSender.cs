namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>A sender of records on a shared connection, where records wait for their turn.</summary>
internal interface IRecordSender
{
    /// <summary>The turn of these records has come.</summary>
    /// <exception cref="ObjectDisposedException">They are not to be sent any more.</exception>
    void OnSending(ReadOnlySpan<byte> records);
}
