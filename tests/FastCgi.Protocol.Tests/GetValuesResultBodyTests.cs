namespace FastCgi.Protocol.Tests;

public class GetValuesResultBodyTests
{
    private static readonly GetValuesResultBody _body = new(100, 5, true);

    private readonly byte[] _memory = DirtyMemory.OfLength(GetValuesResultBody.MaxRecordSize + 1);

    [Fact]
    public void Writes_the_bytes_of_the_specification_over_dirty_memory()
    {
        var written = _body.Write(_memory);

        Assert.Equal(
            [14, 3, .. "FCGI_MAX_CONNS100"u8, 13, 1, .. "FCGI_MAX_REQS5"u8, 15, 1, .. "FCGI_MPXS_CONNS1"u8],
            _memory[..written]);
        DirtyMemory.AssertUntouched(_memory, written);
    }

    [Fact]
    public void A_short_destination_throws_before_anything_is_written()
    {
        var memory = DirtyMemory.OfLength(GetValuesResultBody.MaxSize - 1);

        Assert.Throws<ArgumentOutOfRangeException>(() => _body.Write(memory));
        Assert.Throws<ArgumentOutOfRangeException>(() => _body.WriteRecord(memory));
        DirtyMemory.AssertUntouched(memory, 0);
    }

    [Theory]
    [InlineData(-1, 0)]
    [InlineData(0, int.MinValue)]
    public void A_negative_number_is_refused(int maxConnections, int maxRequests)
    {
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new GetValuesResultBody(maxConnections, maxRequests, null).WriteRecord(_memory));
        DirtyMemory.AssertUntouched(_memory, 0);
    }

    [Fact]
    public void Writes_a_record_of_id_0_which_is_empty_where_nothing_is_told()
    {
        Assert.Equal(8, _body.Only(ManagementVariables.None).WriteRecord(_memory));
        Assert.Equal([1, 10, 0, 0, 0, 0, 0, 0], _memory[..8]);

        var written = new GetValuesResultBody(null, null, false).WriteRecord(_memory);
        Assert.Equal([1, 10, 0, 0, 0, 18, 0, 0, 15, 1, .. "FCGI_MPXS_CONNS0"u8], _memory[..written]);
        DirtyMemory.AssertUntouched(_memory, written);
    }

    [Fact]
    public void The_greatest_values_take_the_size_that_is_promised()
    {
        var memory = DirtyMemory.OfLength(GetValuesResultBody.MaxSize);

        Assert.Equal(memory.Length, new GetValuesResultBody(int.MaxValue, int.MaxValue, false).Write(memory));
    }

    [Theory]
    [InlineData(ManagementVariables.None)]
    [InlineData(ManagementVariables.MaxConnections)]
    [InlineData(ManagementVariables.MaxRequests)]
    [InlineData(ManagementVariables.MultiplexConnections)]
    [InlineData(ManagementVariables.All)]
    public void Round_trip_of_what_was_asked_for(ManagementVariables asked)
    {
        var memory = DirtyMemory.OfLength(GetValuesResultBody.MaxSize);
        var body = _body.Only(asked);

        Assert.True(GetValuesResultBody.TryRead(memory.AsSpan(0, body.Write(memory)), out var read));

        Assert.Equal(body, read);
        Assert.Equal((asked & ManagementVariables.MaxConnections) != 0, read.MaxConnections is not null);
        Assert.Equal((asked & ManagementVariables.MaxRequests) != 0, read.MaxRequests is not null);
        Assert.Equal((asked & ManagementVariables.MultiplexConnections) != 0, read.MultiplexConnections is not null);
    }

    [Theory, InlineData(""), InlineData("x"), InlineData("5x"), InlineData("-1"), InlineData("99999999999")]
    public void A_value_that_is_no_number_is_not_told(string value)
    {
        Assert.True(GetValuesResultBody.TryRead(RecordBuilder.Pair("FCGI_MAX_CONNS", value), out var body));
        Assert.Null(body.MaxConnections);
    }

    [Fact]
    public void A_truncated_pair_is_invalid()
    {
        foreach (var beginning in Splits.Truncations(RecordBuilder.Pair("FCGI_MAX_CONNS", "1")).Skip(1))
        {
            Assert.False(GetValuesResultBody.TryRead(beginning.Span, out _));
        }
    }
}
