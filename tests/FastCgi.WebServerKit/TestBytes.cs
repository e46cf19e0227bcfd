using System.Security.Cryptography;

namespace FastCgi.WebServerKit;

/// <summary>
/// Bytes that differ everywhere, the same in every run, made piece by piece: a block that is lost, doubled or moved
/// shows in the hash.
/// </summary>
internal sealed class TestBytes(long length, int seed = 1)
{
    private const int PieceLength = 64 * 1024;

    public long Length { get; } = length;

    /// <summary>The pieces; each is valid until the next is asked for.</summary>
    public IEnumerable<ReadOnlyMemory<byte>> Pieces()
    {
        var random = new Random(seed);
        var piece = new byte[PieceLength];
        for (var left = Length; left > 0; left -= PieceLength)
        {
            random.NextBytes(piece);
            yield return piece.AsMemory(0, (int)Math.Min(left, PieceLength));
        }
    }

    /// <summary>SHA-256 in hexadecimal.</summary>
    public string Hash()
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var piece in Pieces())
        {
            hash.AppendData(piece.Span);
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }

    public async Task WriteToAsync(Stream stream, CancellationToken cancellation = default)
    {
        foreach (var piece in Pieces())
        {
            await stream.WriteAsync(piece, cancellation);
        }
    }
}
