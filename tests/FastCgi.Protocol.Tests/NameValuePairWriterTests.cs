using System.Buffers;

namespace FastCgi.Protocol.Tests;

public class NameValuePairWriterTests
{
    [Fact]
    public void Writes_short_lengths_in_one_byte_and_long_ones_in_four_with_the_highest_bit_set()
    {
        var memory = DirtyMemory.OfLength(8);
        Assert.True(NameValuePairWriter.TryWrite(memory, "a"u8, "bc"u8, out var written));
        Assert.Equal(5, written);
        Assert.Equal([1, 2, (byte)'a', (byte)'b', (byte)'c'], memory[..5]);
        DirtyMemory.AssertUntouched(memory, 5);

        memory = DirtyMemory.OfLength(1000);
        Assert.True(NameValuePairWriter.TryWrite(memory, new byte[128], new byte[0x0102], out written));
        Assert.Equal(8 + 128 + 0x0102, written);
        Assert.Equal([0x80, 0, 0, 128, 0x80, 0, 1, 2], memory[..8]);
        DirtyMemory.AssertUntouched(memory, written);
    }

    [Theory]
    [InlineData(0, 0, 2)]
    [InlineData(127, 127, 256)]
    [InlineData(128, 127, 260)]
    [InlineData(127, 128, 260)]
    [InlineData(128, 128, 264)]
    [InlineData(int.MaxValue, int.MaxValue, 4294967302)]
    public void Size(int nameLength, int valueLength, long size) =>
        Assert.Equal(size, NameValuePairWriter.GetSize(nameLength, valueLength));

    [Theory]
    [InlineData(0, 0)]
    [InlineData(127, 5)]
    [InlineData(128, 5)]
    [InlineData(5, 128)]
    public void Fits_exactly_or_writes_nothing(int nameLength, int valueLength)
    {
        var (name, value) = (new byte[nameLength], new byte[valueLength]);
        var size = (int)NameValuePairWriter.GetSize(nameLength, valueLength);

        Assert.True(NameValuePairWriter.TryWrite(new byte[size], name, value, out var written));
        Assert.Equal(size, written);
        for (var room = 0; room < size; room++)
        {
            var memory = DirtyMemory.OfLength(room);

            Assert.False(NameValuePairWriter.TryWrite(memory, name, value, out written));
            Assert.Equal(0, written);
            DirtyMemory.AssertUntouched(memory, 0);
        }
    }

    [Fact]
    public void Writes_behind_what_an_output_has()
    {
        var output = new ArrayBufferWriter<byte>();

        NameValuePairWriter.Write(output, "a"u8, "bc"u8);
        NameValuePairWriter.Write(output, [], new byte[128]);

        Assert.Equal(
            [1, 2, (byte)'a', (byte)'b', (byte)'c', 0, 0x80, 0, 0, 128, .. new byte[128]], output.WrittenSpan.ToArray());
    }
}
