namespace FastCgi.Protocol.Tests;

/// <summary>The bytes of the specification, round trip and invalid, for a body of eight bytes.</summary>
public abstract class EightByteBodyTests<TBody>
{
    /// <summary>A body, and its bytes.</summary>
    protected abstract (TBody Body, byte[] Bytes) Example { get; }

    /// <summary>The same with reserved bytes that are not zero.</summary>
    protected abstract byte[] Reserved { get; }

    /// <summary>A body with values that have no name.</summary>
    protected abstract TBody Nameless { get; }

    [Fact]
    public void Writes_the_bytes_of_the_specification_over_dirty_memory()
    {
        var memory = DirtyMemory.OfLength(10);

        Write(Example.Body, memory);

        Assert.Equal(Example.Bytes, memory[..8]);
        DirtyMemory.AssertUntouched(memory, 8);
    }

    [Fact]
    public void Reads_the_bytes_of_the_specification_and_ignores_reserved_ones()
    {
        Assert.True(TryRead(Reserved, out var body));
        Assert.Equal(Example.Body, body);
    }

    [Fact]
    public void Round_trip_of_values_that_have_no_name()
    {
        var memory = DirtyMemory.OfLength(8);

        Write(Nameless, memory);

        Assert.True(TryRead(memory, out var read));
        Assert.Equal(Nameless, read);
    }

    [Theory, InlineData(0), InlineData(7), InlineData(9), InlineData(16)]
    public void Another_length_than_eight_is_invalid(int length) => Assert.False(TryRead(new byte[length], out _));

    protected abstract void Write(TBody body, byte[] memory);

    protected abstract bool TryRead(byte[] bytes, out TBody body);
}

public class BeginRequestBodyTests : EightByteBodyTests<BeginRequestBody>
{
    protected override (BeginRequestBody Body, byte[] Bytes) Example => (new((FastCgiRole)0x0102, BeginRequestFlags.KeepConnection), [1, 2, 1, 0, 0, 0, 0, 0]);

    protected override byte[] Reserved => [1, 2, 1, 9, 9, 9, 9, 9];

    protected override BeginRequestBody Nameless => new(FastCgiRole.Authorizer, (BeginRequestFlags)0xF0);

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

    protected override void Write(BeginRequestBody body, byte[] memory) => body.Write(memory);

    protected override bool TryRead(byte[] bytes, out BeginRequestBody body) => BeginRequestBody.TryRead(bytes, out body);
}

public class EndRequestBodyTests : EightByteBodyTests<EndRequestBody>
{
    protected override (EndRequestBody Body, byte[] Bytes) Example => (new(0x01020304, ProtocolStatus.Overloaded), [1, 2, 3, 4, 2, 0, 0, 0]);

    protected override byte[] Reserved => [1, 2, 3, 4, 2, 9, 9, 9];

    protected override EndRequestBody Nameless => new(uint.MaxValue, (ProtocolStatus)255);

    protected override void Write(EndRequestBody body, byte[] memory) => body.Write(memory);

    protected override bool TryRead(byte[] bytes, out EndRequestBody body) => EndRequestBody.TryRead(bytes, out body);
}

public class UnknownTypeBodyTests : EightByteBodyTests<UnknownTypeBody>
{
    protected override (UnknownTypeBody Body, byte[] Bytes) Example => (new((RecordType)200), [200, 0, 0, 0, 0, 0, 0, 0]);

    protected override byte[] Reserved => [200, 9, 9, 9, 9, 9, 9, 9];

    protected override UnknownTypeBody Nameless => new(RecordType.None);

    protected override void Write(UnknownTypeBody body, byte[] memory) => body.Write(memory);

    protected override bool TryRead(byte[] bytes, out UnknownTypeBody body) => UnknownTypeBody.TryRead(bytes, out body);
}
