namespace FastCgi.Protocol.Tests;

public class NameValuePairScannerTests
{
    private static readonly byte[] _stream =
    [
        .. RecordBuilder.Pair("A", "1"),
        .. RecordBuilder.Pair("", ""),
        .. RecordBuilder.Pair("LONG", new string('v', 200)),
        .. RecordBuilder.Pair("B"u8, "22"u8, longLengths: true),
    ];

    [Fact]
    public void Counts_the_same_at_every_split()
    {
        foreach (var pieces in Splits.All(_stream))
        {
            var scanner = new NameValuePairScanner(_stream.Length, 200, 4);

            Assert.All(pieces, piece => Assert.True(scanner.TryScan(piece.Span)));
            Assert.True(scanner.IsBetweenPairs);
            Assert.Equal(4, scanner.Count);
            Assert.Equal(_stream.Length, scanner.TotalSize);
        }
    }

    [Fact]
    public void Knows_at_every_byte_whether_a_pair_is_cut()
    {
        HashSet<int> ends = [0, 4, 6, 215];
        foreach (var beginning in Splits.Truncations(_stream))
        {
            var scanner = new NameValuePairScanner(10000, 10000, 100);
            scanner.TryScan(beginning.Span);

            Assert.Equal(ends.Contains(beginning.Length), scanner.IsBetweenPairs);
        }
    }

    [Theory]
    [InlineData(225, 200, 4, NameValuePairLimit.TotalSize)]
    [InlineData(226, 199, 4, NameValuePairLimit.Length)]
    [InlineData(226, 200, 3, NameValuePairLimit.Count)]
    [InlineData(3, 200, 4, NameValuePairLimit.TotalSize)]
    [InlineData(226, 0, 4, NameValuePairLimit.Length)]
    [InlineData(226, 200, 0, NameValuePairLimit.Count)]
    public void One_above_a_ceiling_is_refused_at_every_split(
        int total, int length, int count, NameValuePairLimit expected)
    {
        Assert.Equal(226, _stream.Length);
        foreach (var pieces in Splits.All(_stream))
        {
            var scanner = new NameValuePairScanner(total, length, count);
            foreach (var piece in pieces)
            {
                scanner.TryScan(piece.Span);
            }

            Assert.Equal(expected, scanner.Exceeded);
        }
    }

    [Theory]
    [InlineData("0180000200")]
    [InlineData("8000020001")]
    public void A_pair_is_judged_by_either_length_before_its_content_comes(string lengths)
    {
        var scanner = new NameValuePairScanner(1000, 500, 10);

        Assert.False(scanner.TryScan(Convert.FromHexString(lengths)));

        Assert.Equal(NameValuePairLimit.Length, scanner.Exceeded);
    }

    [Fact]
    public void Two_lengths_of_31_bits_overflow_nothing()
    {
        foreach (var pieces in Splits.All(Convert.FromHexString("FFFFFFFFFFFFFFFF")))
        {
            var scanner = new NameValuePairScanner(uint.MaxValue, int.MaxValue, 10);
            Assert.False(pieces.Aggregate(true, (fits, piece) => scanner.TryScan(piece.Span) && fits));

            Assert.Equal(NameValuePairLimit.TotalSize, scanner.Exceeded);
            Assert.Equal(8 + (2L * int.MaxValue), scanner.TotalSize);
        }
    }

    [Fact]
    public void A_refusal_stays()
    {
        var scanner = new NameValuePairScanner(1000, 1000, 0);
        Assert.False(scanner.TryScan([0, 0]));

        Assert.False(scanner.TryScan([]));
        Assert.False(scanner.TryScan([0, 0]));
        Assert.Equal(1, scanner.Count);
    }

    [Fact]
    public void A_scanner_without_ceilings_has_room_for_nothing()
    {
        var scanner = default(NameValuePairScanner);

        Assert.True(scanner.TryScan([]));
        Assert.False(scanner.TryScan([0]));
    }
}
