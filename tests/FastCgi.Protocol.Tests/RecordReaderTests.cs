namespace FastCgi.Protocol.Tests;

public class RecordReaderTests
{
    private static readonly byte[] _conversation = new RecordBuilder()
        .Begin(id: 1)
        .Record(9, 0, [], padding: 8)
        .Record(4, 1, [1, 1, 65, 66], padding: 4)
        .Record(200, 0, [9, 9, 9], reserved: 0xFF)
        .EndParams(1)
        .Record(5, 65535, new byte[40], padding: 255)
        .EndStdin(1)
        .ToArray();

    private static readonly ReadRecord[] _records =
    [
        ReadRecord.Of(1, 1, [0, 1, 1, 0, 0, 0, 0, 0]),
        ReadRecord.Of(9, 0, [], 8),
        ReadRecord.Of(4, 1, [1, 1, 65, 66], 4),
        ReadRecord.Of(200, 0, [9, 9, 9]),
        ReadRecord.Of(4, 1, []),
        ReadRecord.Of(5, 65535, new byte[40], 255),
        ReadRecord.Of(5, 1, []),
    ];

    [Fact]
    public void Reads_the_same_records_at_every_split()
    {
        foreach (var pieces in Splits.All(_conversation))
        {
            var reader = new RecordReader();

            Assert.Equal(_records, ReadRecord.All(ref reader, pieces));
            Assert.True(reader.IsBetweenRecords);
            Assert.Equal(ProtocolViolation.None, reader.Violation);
        }
    }

    [Fact]
    public void Knows_at_every_byte_whether_a_record_is_cut()
    {
        HashSet<int> ends = [0, 16, 32, 48, 59, 67, 370];
        foreach (var beginning in Splits.Truncations(_conversation))
        {
            var reader = new RecordReader();
            ReadRecord.All(ref reader, [beginning]);

            Assert.Equal(ends.Contains(beginning.Length), reader.IsBetweenRecords);
            Assert.Equal(ProtocolViolation.None, reader.Violation);
        }
    }

    [Theory, InlineData(5), InlineData(8), InlineData(77)]
    public void The_longest_content_with_any_padding(int type)
    {
        var content = new byte[65535];
        new Random(type).NextBytes(content);
        foreach (var padding in new[] { 0, 1, 255 })
        {
            var bytes = new RecordBuilder().Record(type, 3, content, padding).EndStdin(3).ToArray();
            foreach (var longest in new[] { 100, 8192, 70000 })
            {
                var reader = new RecordReader();
                var records = ReadRecord.All(ref reader, Splits.Random(bytes, seed: longest, longest));

                ReadRecord[] expected = [ReadRecord.Of(type, 3, content, padding), ReadRecord.Of(5, 3, [])];
                Assert.True(
                    records.SequenceEqual(expected),
                    $"Padding of {padding}, pieces of up to {longest} bytes: " +
                    string.Join(", ", records.Select(static record => $"{record.Header} with {record.Content.Length / 2}")));
            }
        }
    }

    [Fact]
    public void The_header_is_told_before_its_content_has_come()
    {
        var reader = new RecordReader();
        ReadOnlySpan<byte> received = [1, 4, 0, 1, 0xFF, 0xFF, 0, 0];

        Assert.True(reader.TryRead(ref received, out var part));

        Assert.True(part is { IsFirst: true, IsLast: false, IsEndOfStream: false, Content.IsEmpty: true });
        Assert.Equal(65535, part.Header.ContentLength);
        Assert.False(reader.TryRead(ref received, out _));
    }

    [Fact]
    public void Content_comes_piece_by_piece_in_place()
    {
        var reader = new RecordReader();
        var bytes = new RecordBuilder().Stdin(1, "abcdef"u8).ToArray();
        ReadOnlySpan<byte> received = bytes.AsSpan(0, 10);

        Assert.True(reader.TryRead(ref received, out var first));
        Assert.True(first.Content.SequenceEqual("ab"u8));
        Assert.True(first.Content.Overlaps(bytes));
        Assert.False(reader.TryRead(ref received, out _));

        received = bytes.AsSpan(10);
        Assert.True(reader.TryRead(ref received, out var second));
        Assert.True(second.Content.SequenceEqual("cdef"u8));
        Assert.False(second.IsFirst);
        Assert.True(second.IsLast);
    }

    [Fact]
    public void An_empty_record_ends_its_stream_before_its_padding_has_come()
    {
        var reader = new RecordReader();
        ReadOnlySpan<byte> received = [1, 9, 0, 0, 0, 0, 8, 0];

        Assert.True(reader.TryRead(ref received, out var part));

        Assert.True(part is { IsFirst: true, IsLast: true, IsEndOfStream: true });
        Assert.False(reader.IsBetweenRecords);
    }

    [Theory, InlineData(0), InlineData(2), InlineData(255), InlineData((byte)'G')]
    public void A_wrong_version_is_a_violation_at_its_first_byte(byte version)
    {
        byte[] good = new RecordBuilder().EndStdin().ToArray();
        byte[] bytes = [.. good, version, 1, 0, 1, 0, 0, 0, 0];
        foreach (var pieces in Splits.All(bytes))
        {
            var reader = new RecordReader();

            Assert.Equal([ReadRecord.Of(5, 1, [])], ReadRecord.All(ref reader, pieces));
            Assert.Equal(ProtocolViolation.UnsupportedVersion, reader.Violation);
        }

        var atOnce = new RecordReader();
        ReadOnlySpan<byte> received = [.. good, version];
        Assert.True(atOnce.TryRead(ref received, out _));
        Assert.False(atOnce.TryRead(ref received, out _));
        Assert.Equal(ProtocolViolation.UnsupportedVersion, atOnce.Violation);
        Assert.Equal(version, received[0]);
    }

    [Fact]
    public void Nothing_is_read_after_a_violation()
    {
        var reader = new RecordReader();
        ReadOnlySpan<byte> wrong = [0];
        Assert.False(reader.TryRead(ref wrong, out _));

        ReadOnlySpan<byte> right = new RecordBuilder().EndStdin().ToArray();
        Assert.False(reader.TryRead(ref right, out _));
        Assert.Equal(8, right.Length);
    }
}
