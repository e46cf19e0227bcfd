using FastCgi.TestKit;

namespace FastCgi.Protocol.Tests;

public class EndRequestBodyTests
{
    private static readonly EndRequestBody _body = new EndRequestBody(0x01020304, ProtocolStatus.Overloaded);

    [Fact]
    public void Writes_the_bytes_of_the_specification_over_dirty_memory()
    {
        var memory = DirtyMemory.OfLength(10);

        _body.Write(memory);

        Assert.Equal([1, 2, 3, 4, 2, 0, 0, 0], memory[..8]);
        DirtyMemory.AssertUntouched(memory, 8);
    }

    [Fact]
    public void Reads_the_bytes_of_the_specification_and_ignores_reserved_ones()
    {
        Assert.True(EndRequestBody.TryRead([1, 2, 3, 4, 2, 9, 9, 9], out var body));
        Assert.Equal(_body, body);
    }

    [Fact]
    public void Round_trip_of_values_that_have_no_name()
    {
        var body = new EndRequestBody(uint.MaxValue, (ProtocolStatus)255);
        var memory = DirtyMemory.OfLength(8);

        body.Write(memory);

        Assert.True(EndRequestBody.TryRead(memory, out var read));
        Assert.Equal(body, read);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(9)]
    [InlineData(16)]
    public void Another_length_than_eight_is_invalid(int length) =>
        Assert.False(EndRequestBody.TryRead(new byte[length], out _));
}
