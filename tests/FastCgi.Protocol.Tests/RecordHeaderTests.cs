namespace FastCgi.Protocol.Tests;

public class RecordHeaderTests
{
    [Fact]
    public void Reads_the_bytes_of_the_specification()
    {
        Assert.True(RecordHeader.TryRead([1, 5, 0x12, 0x34, 0xAB, 0xCD, 7, 0xEE], out var header));

        Assert.Equal((1, RecordType.Stdin, 0x1234), (header.Version, header.Type, header.RequestId));
        Assert.Equal(
            (0xABCD, 7, 8 + 0xABCD + 7), (header.ContentLength, header.PaddingLength, header.RecordSize));
    }

    [Fact]
    public void Writes_the_bytes_of_the_specification_over_dirty_memory()
    {
        var memory = DirtyMemory.OfLength(12);

        new RecordHeader(RecordType.Stdout, 0x1234, 0xABCD, 7).Write(memory);

        Assert.Equal([1, 6, 0x12, 0x34, 0xAB, 0xCD, 7, 0], memory[..8]);
        DirtyMemory.AssertUntouched(memory, 8);
    }

    [Theory]
    [InlineData(RecordType.BeginRequest, 1, 8, 0)]
    [InlineData(RecordType.GetValues, 0, 0, 8)]
    [InlineData((RecordType)255, 65535, 65535, 255)]
    [InlineData(RecordType.None, 0, 0, 0)]
    public void Round_trip(RecordType type, int id, int contentLength, int paddingLength)
    {
        var header = new RecordHeader(type, (ushort)id, (ushort)contentLength, (byte)paddingLength);
        var memory = DirtyMemory.OfLength(8);

        header.Write(memory);

        Assert.True(RecordHeader.TryRead(memory, out var read));
        Assert.Equal(header, read);
    }

    [Fact]
    public void Fewer_than_eight_bytes_are_no_header()
    {
        foreach (var beginning in Splits.Truncations(new byte[] { 1, 1, 0, 1, 0, 8, 0, 0 }))
        {
            Assert.False(RecordHeader.TryRead(beginning.Span, out _));
        }
    }

    [Theory, InlineData(0), InlineData(2), InlineData(255)]
    public void A_wrong_version_is_told_and_not_hidden(byte version)
    {
        Assert.True(RecordHeader.TryRead([version, 1, 0, 1, 0, 8, 0, 0], out var header));
        Assert.Equal(version, header.Version);
    }

    [Fact]
    public void Only_id_0_is_management()
    {
        Assert.True(new RecordHeader(RecordType.Stdin, 0, 0).IsManagement);
        Assert.False(new RecordHeader(RecordType.GetValues, 256, 0).IsManagement);
    }

    [Fact]
    public void A_short_destination_throws_before_anything_is_written()
    {
        var memory = DirtyMemory.OfLength(7);

        Assert.Throws<ArgumentOutOfRangeException>(() => new RecordHeader(RecordType.Stdin, 1, 0).Write(memory));
        DirtyMemory.AssertUntouched(memory, 0);
    }
}
