using FastCgi.TestKit;

namespace FastCgi.Protocol.Tests;

public class BeginRequestBodyTests
{
    private static readonly BeginRequestBody _body = new((FastCgiRole)0x0102, BeginRequestFlags.KeepConnection);

    [Fact]
    public void Writes_the_bytes_of_the_specification_over_dirty_memory()
    {
        var memory = DirtyMemory.OfLength(10);

        _body.Write(memory);

        Assert.Equal([1, 2, 1, 0, 0, 0, 0, 0], memory[..8]);
        DirtyMemory.AssertUntouched(memory, 8);
    }

    [Fact]
    public void Reads_the_bytes_of_the_specification_and_ignores_reserved_ones()
    {
        Assert.True(BeginRequestBody.TryRead([1, 2, 1, 9, 9, 9, 9, 9], out var body));
        Assert.Equal(_body, body);
    }

    [Fact]
    public void Round_trip_of_values_that_have_no_name()
    {
        var body = new BeginRequestBody(FastCgiRole.Authorizer, (BeginRequestFlags)0xF0);
        var memory = DirtyMemory.OfLength(8);

        body.Write(memory);

        Assert.True(BeginRequestBody.TryRead(memory, out var read));
        Assert.Equal(body, read);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(9)]
    [InlineData(16)]
    public void Another_length_than_eight_is_invalid(int length) =>
        Assert.False(BeginRequestBody.TryRead(new byte[length], out _));

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, true)]
    [InlineData(0xFE, false)]
    [InlineData(0xFF, true)]
    public void Only_the_lowest_flag_keeps_the_connection(byte flags, bool keeps)
    {
        Assert.True(BeginRequestBody.TryRead([0, 1, flags, 0, 0, 0, 0, 0], out var body));
        Assert.Equal(keeps, body.KeepConnection);
    }
}
