using Xunit.Sdk;

namespace FastCgi.Protocol.Tests.TestKit;

public class SplitsTests
{
    private static readonly byte[] _bytes = [.. Enumerable.Range(0, 100).Select(i => (byte)i)];

    [Fact]
    public void Every_split_holds_the_same_bytes()
    {
        var all = Splits.All(_bytes).ToList();

        Assert.Equal(2 + 20 + 101, all.Count);
        Assert.All(all, pieces => Assert.Equal(_bytes, pieces.SelectMany(piece => piece.ToArray())));
    }

    [Fact]
    public void A_random_split_is_its_seed() =>
        Assert.Equal(
            Splits.Random(_bytes, 5).Select(piece => piece.Length),
            Splits.Random(_bytes, 5).Select(piece => piece.Length));

    [Fact]
    public void Truncations_are_all_shorter_than_the_whole() =>
        Assert.Equal(Enumerable.Range(0, 100), Splits.Truncations(_bytes).Select(beginning => beginning.Length));

    [Fact]
    public void A_byte_written_too_far_shows()
    {
        var memory = DirtyMemory.OfLength(4);
        DirtyMemory.AssertUntouched(memory, 0);
        memory[2] = 0;

        Assert.ThrowsAny<XunitException>(() => DirtyMemory.AssertUntouched(memory, 1));
        DirtyMemory.AssertUntouched(memory, 3);
    }
}
