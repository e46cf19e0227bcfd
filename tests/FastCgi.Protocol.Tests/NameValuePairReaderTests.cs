using System.Text;

namespace FastCgi.Protocol.Tests;

public class NameValuePairReaderTests
{
    [Fact]
    public void Reads_the_four_forms_of_the_specification()
    {
        byte[] content =
        [
            1, 2, (byte)'a', (byte)'b', (byte)'c',
            0x80, 0, 0, 1, 2, (byte)'d', (byte)'e', (byte)'f',
            1, 0x80, 0, 0, 2, (byte)'g', (byte)'h', (byte)'i',
            0x80, 0, 0, 1, 0x80, 0, 0, 2, (byte)'j', (byte)'k', (byte)'l',
        ];

        Assert.Equal([("a", "bc"), ("d", "ef"), ("g", "hi"), ("j", "kl")], Read(content, out var reader));
        Assert.False(reader.IsTruncated);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(127, 127)]
    [InlineData(128, 1)]
    [InlineData(1, 128)]
    [InlineData(300, 70000)]
    public void Reads_names_and_values_of_any_length(int nameLength, int valueLength)
    {
        var (name, value) = (new string('n', nameLength), new string('v', valueLength));
        byte[] content = [.. RecordBuilder.Pair(name, value), .. RecordBuilder.Pair("x", "")];

        Assert.Equal([(name, value), ("x", "")], Read(content, out _));
    }

    [Fact]
    public void Offsets_are_those_of_the_content()
    {
        var reader = new NameValuePairReader("\0\0\u0001\u0002abc"u8);

        Assert.True(reader.TryRead(out var empty));
        Assert.Equal((2, 0, 2, 0), PlacesOf(empty));
        Assert.True(reader.TryRead(out var pair));
        Assert.Equal((4, 1, 5, 2), PlacesOf(pair));

        static (int, int, int, int) PlacesOf(NameValuePair pair) =>
            (pair.NameOffset, pair.NameLength, pair.ValueOffset, pair.ValueLength);
    }

    [Fact]
    public void Tells_an_end_from_a_truncation_at_every_byte()
    {
        byte[] first = RecordBuilder.Pair("name"u8, "value"u8);
        byte[] second = RecordBuilder.Pair("n"u8, "v"u8, longLengths: true);
        byte[] content = [.. first, .. second];
        foreach (var beginning in Splits.Truncations(content))
        {
            var isEnd = beginning.Length == 0 || beginning.Length == first.Length;
            var whole = beginning.Length >= first.Length ? 1 : 0;

            Assert.Equal(whole, Read(beginning.Span, out var reader).Count);
            Assert.Equal(!isEnd, reader.IsTruncated);
            Assert.False(reader.TryRead(out _));
        }
    }

    [Theory]
    [InlineData("FFFFFFFFFFFFFFFF")]
    [InlineData("FFFFFFFF01")]
    [InlineData("01FFFFFFFF")]
    [InlineData("FFFFFFFF8000000141")]
    [InlineData("80000001FFFFFFFF41")]
    [InlineData("FFFFFFFE0241")]
    public void Huge_lengths_are_a_truncation_and_overflow_nothing(string hex)
    {
        Assert.Empty(Read(Convert.FromHexString(hex), out var reader));
        Assert.True(reader.IsTruncated);
    }

    private static List<(string Name, string Value)> Read(ReadOnlySpan<byte> content, out NameValuePairReader reader)
    {
        List<(string, string)> pairs = [];
        reader = new NameValuePairReader(content);
        while (reader.TryRead(out var pair))
        {
            pairs.Add((Encoding.UTF8.GetString(pair.NameIn(content)), Encoding.UTF8.GetString(pair.ValueIn(content))));
        }

        return pairs;
    }
}
