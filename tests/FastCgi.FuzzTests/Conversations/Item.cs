namespace FastCgi.FuzzTests.Conversations;

/// <summary>One thing that a peer does in a conversation.</summary>
public abstract record Item;

/// <summary>A record, with every field of its header free to be wrong.</summary>
/// <param name="LengthError">Added to the content length that the header declares.</param>
public sealed record RecordItem(
    int Type, int Id, byte[] Content, int Padding = 0, int Version = 1, int Reserved = 0, int LengthError = 0) : Item
{
    public byte[] ToBytes()
    {
        var bytes = new RecordBuilder().Record(Type, Id, Content, Padding, Version, Reserved).ToArray();
        var declared = (ushort)(Content.Length + LengthError);
        bytes[4] = (byte)(declared >> 8);
        bytes[5] = (byte)declared;
        return bytes;
    }
}

/// <summary>Bytes that are no whole record.</summary>
public sealed record RawItem(byte[] Bytes) : Item;

/// <summary>Sends nothing more before the request with this id is answered, when it is certain that it will be.</summary>
public sealed record WaitItem(int Id) : Item;

/// <summary>What the peer does after its last byte.</summary>
public enum Ending
{
    /// <summary>Waits for every answer, asks for one value, then ends its sending half and reads to the end.</summary>
    Finish,

    /// <summary>Ends its sending half at once and reads to the end. On TCP that is the end of a peer.</summary>
    HalfClose,

    /// <summary>Closes at once.</summary>
    Close,

    /// <summary>Closes without lingering, and without having read anything.</summary>
    Reset,
}
