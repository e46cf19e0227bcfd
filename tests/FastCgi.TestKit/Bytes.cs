namespace FastCgi.TestKit;

/// <summary>
/// Arrays of bytes as one. <c>SelectMany(…).ToArray()</c> takes each byte by itself, and leaves the pieces of its growth
/// in the shared pool, where each thread keeps up to 64 MiB of them.
/// </summary>
public static class Bytes
{
    public static byte[] Join(params IEnumerable<byte[]> pieces)
    {
        byte[][] all = [.. pieces];
        var joined = new byte[all.Sum(static piece => piece.Length)];
        var position = 0;
        foreach (var piece in all)
        {
            piece.CopyTo(joined, position);
            position += piece.Length;
        }

        return joined;
    }
}
