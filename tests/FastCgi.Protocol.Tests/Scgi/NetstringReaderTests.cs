using System.Text;
using FastCgi.Protocol.Scgi;

namespace FastCgi.Protocol.Tests.Scgi;

public class NetstringReaderTests
{
    [Theory]
    [InlineData("0:,", "")]
    [InlineData("1:a,", "a")]
    [InlineData("12:hello world!,", "hello world!")]
    [InlineData("3:,:,,", ",:,")]
    public void A_netstring_is_read_at_every_split_and_what_follows_is_left(string text, string content)
    {
        byte[] bytes = [.. Encoding.ASCII.GetBytes(text), .. "rest"u8];
        foreach (var pieces in Splits.All(bytes))
        {
            var (read, rest, reader) = Read(pieces);

            Assert.Equal((content, "rest"), (read, rest));
            Assert.True(reader.IsWhole);
            Assert.Equal(content.Length, reader.Length);
        }
    }

    [Fact]
    public void What_is_not_whole_is_neither_wrong_nor_done()
    {
        byte[] bytes = "12:hello world!,"u8.ToArray();
        foreach (var beginning in Splits.Truncations(bytes))
        {
            var (_, _, reader) = Read([beginning]);

            Assert.False(reader.IsWhole);
            Assert.Equal(beginning.Length == 0, reader.IsEmpty);
            Assert.Equal(beginning.Length > 2 ? 12 : null, reader.Length);
            Assert.Equal(ProtocolViolation.None, reader.Violation);
        }
    }

    public static TheoryData<string> NoNetstrings =>
        [":a,", "a:a,", " 1:a,", "-1:a,", "+1:a,", "1 :a,", "01:a,", "00:a,", "1234567890:a,", "1:ab"];

    [Theory, MemberData(nameof(NoNetstrings))]
    public void What_has_no_length_or_no_comma_is_a_violation_at_every_split(string text)
    {
        foreach (var pieces in Splits.All(Encoding.ASCII.GetBytes(text)))
        {
            var (_, _, reader) = Read(pieces);

            Assert.Equal(ProtocolViolation.Netstring, reader.Violation);
            Assert.False(reader.IsWhole);
        }
    }

    [Fact]
    public void A_violation_stays_one()
    {
        var reader = new NetstringReader();
        ReadOnlySpan<byte> wrong = "x"u8;
        Assert.False(reader.TryRead(ref wrong, out _));
        ReadOnlySpan<byte> right = "1:a,"u8;
        reader.TryRead(ref right, out _);

        Assert.Equal(ProtocolViolation.Netstring, reader.Violation);
    }

    /// <summary>A loop over the parts ends with its input.</summary>
    [Fact]
    public void Nothing_is_read_from_nothing_nor_behind_the_comma()
    {
        var reader = new NetstringReader();
        var netstring = "2:ab,"u8;
        for (var i = 0; i < netstring.Length; i++)
        {
            var nothing = ReadOnlySpan<byte>.Empty;
            Assert.False(reader.TryRead(ref nothing, out _));
            var next = netstring.Slice(i, 1);
            reader.TryRead(ref next, out _);
        }

        ReadOnlySpan<byte> behind = "rest"u8;
        Assert.False(reader.TryRead(ref behind, out _));
        Assert.Equal(4, behind.Length);
        Assert.Equal(ProtocolViolation.None, reader.Violation);
    }

    private static (string Content, string Behind, NetstringReader Reader) Read(
        IEnumerable<ReadOnlyMemory<byte>> pieces)
    {
        var reader = new NetstringReader();
        var content = new List<byte>();
        var rest = new List<byte>();
        foreach (var piece in pieces)
        {
            var input = piece.Span;
            if (!reader.IsWhole && reader.Violation == ProtocolViolation.None
                && reader.TryRead(ref input, out var part))
            {
                content.AddRange(part);
            }

            rest.AddRange(input);
        }

        return (Encoding.ASCII.GetString([.. content]), Encoding.ASCII.GetString([.. rest]), reader);
    }
}
