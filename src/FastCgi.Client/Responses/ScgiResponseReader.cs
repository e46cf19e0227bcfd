namespace FastCgi.Client.Responses;

/// <summary>Reads an SCGI response: all bytes up to the end of the stream.</summary>
internal sealed class ScgiResponseReader : ResponseReader
{
    public override bool EndsWithConnection => true;

    public override bool TryRead(ref ReadOnlyMemory<byte> received, out ReadOnlyMemory<byte> content)
    {
        HasBegun |= !received.IsEmpty;
        content = received;
        received = default;
        return !content.IsEmpty;
    }
}
