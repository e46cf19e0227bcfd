namespace FastCgi.FuzzTests.Conversations;

/// <summary>Bytes that bodies are pieces of: each request has its own place in them, so a foreign byte shows.</summary>
internal static class Noise
{
    /// <summary>The longest piece.</summary>
    public const int MostBytes = 1 << 19;

    private const uint Places = 1 << 19;

    private static readonly byte[] s_bytes = New();

    public static ReadOnlyMemory<byte> RequestBody(uint nonce, int length) =>
        s_bytes.AsMemory((int)(nonce % Places), length);

    public static ReadOnlyMemory<byte> ResponseBody(uint nonce, int length) =>
        s_bytes.AsMemory((int)((nonce * 2654435761u) % Places), length);

    private static byte[] New()
    {
        var bytes = new byte[Places + MostBytes];
        new Dice(0x4E01).Fill(bytes);
        return bytes;
    }
}
