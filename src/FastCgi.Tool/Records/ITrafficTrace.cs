namespace FastCgi.Tool.Records;

/// <summary>Sees the bytes of a connection.</summary>
internal interface ITrafficTrace
{
    void Sent(ReadOnlySpan<byte> bytes);

    void Received(ReadOnlySpan<byte> bytes);
}
