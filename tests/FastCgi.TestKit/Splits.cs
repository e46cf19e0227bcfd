namespace FastCgi.TestKit;

/// <summary>Ways to cut bytes that must make no difference to whoever reads them.</summary>
public static class Splits
{
    /// <summary>In two, at every position, the ends included.</summary>
    public static IEnumerable<IReadOnlyList<ReadOnlyMemory<byte>>> InTwo(ReadOnlyMemory<byte> bytes) =>
        Enumerable.Range(0, bytes.Length + 1)
            .Select(at => (IReadOnlyList<ReadOnlyMemory<byte>>)[bytes[..at], bytes[at..]]);

    public static IReadOnlyList<ReadOnlyMemory<byte>> OneByteAtATime(ReadOnlyMemory<byte> bytes) =>
        [.. Enumerable.Range(0, bytes.Length).Select(at => bytes.Slice(at, 1))];

    /// <summary>Pieces of 0 to <paramref name="longest"/> bytes, the same ones for the same seed.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Random(ReadOnlyMemory<byte> bytes, int seed, int longest = 50)
    {
        var random = new Random(seed);
        List<ReadOnlyMemory<byte>> pieces = [];
        while (!bytes.IsEmpty)
        {
            var length = Math.Min(random.Next(longest + 1), bytes.Length);
            pieces.Add(bytes[..length]);
            bytes = bytes[length..];
        }

        return pieces;
    }

    /// <summary>Uncut, one byte at a time, twenty random ways, and in two at every position.</summary>
    public static IEnumerable<IReadOnlyList<ReadOnlyMemory<byte>>> All(ReadOnlyMemory<byte> bytes)
    {
        IEnumerable<IReadOnlyList<ReadOnlyMemory<byte>>> few = [[bytes], OneByteAtATime(bytes)];
        return Told(
            few.Concat(Enumerable.Range(0, 20).Select(seed => Random(bytes, seed))).Concat(InTwo(bytes)),
            static pieces => string.Join(", ", pieces.Select(static piece => piece.Length)));
    }

    /// <summary>Every beginning that is shorter than the whole, the empty one included.</summary>
    public static IEnumerable<ReadOnlyMemory<byte>> Truncations(ReadOnlyMemory<byte> bytes) =>
        Told(Enumerable.Range(0, bytes.Length).Select(length => bytes[..length]), static beginning => $"{beginning.Length}");

    /// <summary>The same ways; a test that fails within prints the last.</summary>
    private static IEnumerable<T> Told<T>(IEnumerable<T> ways, Func<T, string> lengths)
    {
        Func<string>? last = null;
        FailureReportAttribute.Add("The bytes of each piece at last", () => last?.Invoke());
        foreach (var way in ways)
        {
            last = () => lengths(way);
            yield return way;
        }

        last = null;
    }
}
