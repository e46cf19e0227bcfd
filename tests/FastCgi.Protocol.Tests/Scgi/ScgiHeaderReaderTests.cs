using System.Text;
using FastCgi.Protocol.Scgi;

namespace FastCgi.Protocol.Tests.Scgi;

public class ScgiHeaderReaderTests
{
    [Fact]
    public void Reads_the_example_of_the_specification()
    {
        // SCGI: A Simple Common Gateway Interface alternative, section "Example".
        byte[] bytes =
        [
            .. "70:"u8,
            .. "CONTENT_LENGTH"u8, 0, .. "27"u8, 0,
            .. "SCGI"u8, 0, .. "1"u8, 0,
            .. "REQUEST_METHOD"u8, 0, .. "POST"u8, 0,
            .. "REQUEST_URI"u8, 0, .. "/deepthought"u8, 0,
            .. ","u8,
            .. "What is the answer to life?"u8,
        ];
        var netstring = new NetstringReader();
        ReadOnlySpan<byte> input = bytes;

        Assert.True(netstring.TryRead(ref input, out var head));
        Assert.True(netstring.IsWhole);
        Assert.Equal("What is the answer to life?", Encoding.ASCII.GetString(input));
        Assert.Equal(
            [("CONTENT_LENGTH", "27"), ("SCGI", "1"), ("REQUEST_METHOD", "POST"), ("REQUEST_URI", "/deepthought")],
            Read(head, out var isTruncated));
        Assert.False(isTruncated);
    }

    [Fact]
    public void Names_and_values_may_be_empty() =>
        Assert.Equal([("", ""), ("a", ""), ("", "b")], Read("\0\0a\0\0\0b\0"u8, out _));

    [Fact]
    public void Tells_an_end_from_a_truncation_at_every_byte()
    {
        byte[] first = "name\0value\0"u8.ToArray();
        byte[] content = [.. first, .. "n\0v\0"u8];
        foreach (var beginning in Splits.Truncations(content))
        {
            var isEnd = beginning.Length == 0 || beginning.Length == first.Length;

            Assert.Equal(beginning.Length >= first.Length ? 1 : 0, Read(beginning.Span, out var isTruncated).Count);
            Assert.Equal(!isEnd, isTruncated);
        }
    }

    private static List<(string Name, string Value)> Read(ReadOnlySpan<byte> head, out bool isTruncated)
    {
        var reader = new ScgiHeaderReader(head);
        List<(string, string)> headers = [];
        while (reader.TryRead(out var header))
        {
            headers.Add((
                Encoding.ASCII.GetString(header.NameIn(head)), Encoding.ASCII.GetString(header.ValueIn(head))));
        }

        isTruncated = reader.IsTruncated;
        return headers;
    }
}
