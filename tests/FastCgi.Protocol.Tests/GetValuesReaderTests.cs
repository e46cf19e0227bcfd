namespace FastCgi.Protocol.Tests;

public class GetValuesReaderTests
{
    private const ManagementVariables MaxConnections = ManagementVariables.MaxConnections;

    [Theory]
    [InlineData(null, "", ManagementVariables.None)]
    [InlineData("FCGI_MAX_CONNS", "", ManagementVariables.MaxConnections)]
    [InlineData("FCGI_MAX_REQS", "", ManagementVariables.MaxRequests)]
    [InlineData("FCGI_MPXS_CONNS", "", ManagementVariables.MultiplexConnections)]
    [InlineData("fcgi_max_conns", "", ManagementVariables.None)]
    [InlineData("FCGI_MAX_CONN", "", ManagementVariables.None)]
    [InlineData("FCGI_MAX_CONNSX", "", ManagementVariables.None)]
    [InlineData("FCGI_MPXS_CONNSX", "", ManagementVariables.None)]
    [InlineData("", "", ManagementVariables.None)]
    [InlineData("X", "FCGI_MAX_CONNS", ManagementVariables.None)]
    public void Only_a_known_name_asks(string? name, string value, ManagementVariables asked) =>
        Assert.Equal(asked, Read(name is null ? [] : RecordBuilder.Pair(name, value)));

    [Fact]
    public void Repeated_unknown_and_valued_names_beside_known_ones() => Assert.Equal(
        ManagementVariables.All,
        Read(
        [
            .. RecordBuilder.Pair("FCGI_MAX_CONNS", ""),
            .. RecordBuilder.Pair("FCGI_MAX_CONNS", "FCGI_IGNORED"),
            .. RecordBuilder.Pair("", "FCGI_MAX_CONNS"),
            .. RecordBuilder.Pair(new string('X', 300), new string('Y', 300)),
            .. RecordBuilder.Pair("FCGI_MPXS_CONNS"u8, "1"u8, longLengths: true),
            .. RecordBuilder.Pair("FCGI_MAX_REQS", ""),
        ]));

    [Fact]
    public void A_truncated_pair_loses_only_itself()
    {
        byte[] whole = RecordBuilder.Pair("FCGI_MAX_CONNS", "");
        byte[] cut = RecordBuilder.Pair("FCGI_MAX_REQS", "v");
        foreach (var beginning in Splits.Truncations(cut))
        {
            Assert.Equal(MaxConnections, Read([.. whole, .. beginning.Span]));
        }
    }

    [Fact]
    public void The_longest_record_of_names_needs_no_more_memory()
    {
        var names = Enumerable.Repeat(RecordBuilder.Pair("FCGI_MAX_CONNS", ""), 4095).SelectMany(pair => pair);

        Assert.Equal(MaxConnections, ReadOnce([.. names], [0, 65535]));
    }

    [Fact]
    public void A_second_record_begins_anew()
    {
        var reader = new GetValuesReader();
        var first = new RecordBuilder().GetValues("FCGI_MAX_CONNS").ToArray();
        var cut = new RecordBuilder().Record(9, 0, [5, 0, 65]).ToArray();
        var last = new RecordBuilder().GetValues("FCGI_MAX_REQS").ToArray();

        Assert.Equal(MaxConnections, ReadParts(ref reader, first));
        Assert.Equal(ManagementVariables.None, ReadParts(ref reader, cut));
        Assert.Equal(ManagementVariables.MaxRequests, ReadParts(ref reader, last));
    }

    /// <summary>At every split, and they must agree.</summary>
    private static ManagementVariables Read(byte[] content)
    {
        var asked = Splits.All(content)
            .Select(pieces => ReadOnce(content, [0, .. pieces.Select(piece => piece.Length)]))
            .Distinct();
        return Assert.Single(asked);
    }

    private static ManagementVariables ReadOnce(byte[] content, IReadOnlyList<int> lengths)
    {
        var record = new RecordBuilder().Record(9, 0, content).ToArray();
        var reader = new GetValuesReader();
        var at = 0;
        List<ReadOnlyMemory<byte>> pieces = [record.AsMemory(0, 8)];
        foreach (var length in lengths)
        {
            var taken = Math.Min(length, content.Length - at);
            pieces.Add(record.AsMemory(8 + at, taken));
            at += taken;
        }

        return ReadParts(ref reader, [.. pieces]);
    }

    private static ManagementVariables ReadParts(ref GetValuesReader reader, params ReadOnlyMemory<byte>[] pieces)
    {
        var records = new RecordReader();
        ManagementVariables? result = null;
        foreach (var piece in pieces)
        {
            var received = piece.Span;
            while (records.TryRead(ref received, out var part))
            {
                if (reader.TryRead(part, out var asked))
                {
                    Assert.Null(result);
                    result = asked;
                }
            }
        }

        return Assert.NotNull(result);
    }
}
