namespace FastCgi.Protocol.Tests;

public class RecordWriterTests
{
    private readonly byte[] _memory = DirtyMemory.OfLength(64);

    [Fact]
    public void A_header_takes_the_eight_reserved_bytes_only()
    {
        RecordWriter.WriteHeader(_memory, RecordType.Stdout, 0x0203, 65535);

        Assert.Equal([1, 6, 2, 3, 0xFF, 0xFF, 0, 0], _memory[..8]);
        DirtyMemory.AssertUntouched(_memory, 8);
    }

    [Fact]
    public void Padding_is_told_when_asked_for()
    {
        RecordWriter.WriteHeader(_memory, RecordType.Stdout, 1, 3, paddingLength: 5);

        Assert.Equal([1, 6, 0, 1, 0, 3, 5, 0], _memory[..8]);
    }

    [Theory]
    [InlineData(-1, 0)]
    [InlineData(65536, 0)]
    [InlineData(0, -1)]
    [InlineData(0, 256)]
    public void Lengths_that_do_not_fit_are_refused(int contentLength, int paddingLength)
    {
        Assert.Throws<ArgumentOutOfRangeException>(
            () => RecordWriter.WriteHeader(_memory, RecordType.Stdout, 1, contentLength, paddingLength));
        DirtyMemory.AssertUntouched(_memory, 0);
    }

    [Fact]
    public void Short_destinations_throw_before_anything_is_written()
    {
        var memory = DirtyMemory.OfLength(7);

        Assert.Throws<ArgumentOutOfRangeException>(() => default(BeginRequestBody).Write(memory));
        Assert.Throws<ArgumentOutOfRangeException>(() => default(EndRequestBody).Write(memory));
        Assert.Throws<ArgumentOutOfRangeException>(() => default(UnknownTypeBody).Write(memory));
        Assert.Throws<ArgumentOutOfRangeException>(() => RecordWriter.WriteHeader(memory, RecordType.Stdin, 1, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => RecordWriter.WriteEndOfStream(memory, RecordType.Stdin, 1));
        DirtyMemory.AssertUntouched(memory, 0);
    }

    [Fact]
    public void An_end_of_a_stream_is_an_empty_record()
    {
        Assert.Equal(8, RecordWriter.WriteEndOfStream(_memory, RecordType.Stderr, 0x0102));

        Assert.Equal([1, 7, 1, 2, 0, 0, 0, 0], _memory[..8]);
        DirtyMemory.AssertUntouched(_memory, RecordWriter.EndOfStreamRecordSize);
    }

    [Fact]
    public void Begin_request()
    {
        var body = new BeginRequestBody(FastCgiRole.Responder, BeginRequestFlags.KeepConnection);

        Assert.Equal(16, RecordWriter.WriteBeginRequest(_memory, 0x0102, body));

        Assert.Equal([1, 1, 1, 2, 0, 8, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0], _memory[..16]);
        DirtyMemory.AssertUntouched(_memory, RecordWriter.BeginRequestRecordSize);
    }

    [Fact]
    public void End_request()
    {
        var body = new EndRequestBody(0x01020304, ProtocolStatus.UnknownRole);

        Assert.Equal(16, RecordWriter.WriteEndRequest(_memory, 0x0102, body));

        Assert.Equal([1, 3, 1, 2, 0, 8, 0, 0, 1, 2, 3, 4, 3, 0, 0, 0], _memory[..16]);
        DirtyMemory.AssertUntouched(_memory, RecordWriter.EndRequestRecordSize);
    }

    [Fact]
    public void End_of_a_response()
    {
        Assert.Equal(24, RecordWriter.WriteEndOfResponse(_memory, 9, default));

        Assert.Equal([1, 6, 0, 9, 0, 0, 0, 0, 1, 3, 0, 9, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], _memory[..24]);
        DirtyMemory.AssertUntouched(_memory, RecordWriter.EndOfResponseSize);
    }

    [Fact]
    public void End_of_the_last_response()
    {
        Assert.Equal(24, RecordWriter.WriteEndOfLastResponse(_memory, 9, default));

        Assert.Equal([1, 3, 0, 9, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 0, 9, 0, 0, 0, 0], _memory[..24]);
        DirtyMemory.AssertUntouched(_memory, RecordWriter.EndOfResponseSize);
    }

    [Fact]
    public void Unknown_type()
    {
        Assert.Equal(16, RecordWriter.WriteUnknownType(_memory, (RecordType)200));

        Assert.Equal([1, 11, 0, 0, 0, 8, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0], _memory[..16]);
        DirtyMemory.AssertUntouched(_memory, RecordWriter.UnknownTypeRecordSize);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(65528, 65528)]
    [InlineData(65529, 65528)]
    [InlineData(65535, 65528)]
    [InlineData(int.MaxValue, 65528)]
    public void Long_content_is_cut_at_the_longest_aligned_record(int remaining, int fitting) =>
        Assert.Equal(fitting, RecordWriter.ContentFitting(remaining));
}
