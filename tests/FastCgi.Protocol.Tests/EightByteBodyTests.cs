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
