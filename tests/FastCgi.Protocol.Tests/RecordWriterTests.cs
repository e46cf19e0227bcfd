using System.Buffers;
using System.Text;

namespace FastCgi.Protocol.Tests;

public class RecordWriterTests
{
    /// <summary>Each record, the size that is promised for it, and its bytes.</summary>
    private static readonly Dictionary<string, (Func<byte[], int> Write, int Size, byte[] Bytes)> _records = new()
    {
        ["end of a stream"] = (
            memory => RecordWriter.WriteEndOfStream(memory, RecordType.Stderr, 0x0102),
            RecordWriter.EndOfStreamRecordSize,
            [1, 7, 1, 2, 0, 0, 0, 0]),
        ["begin request"] = (
            memory => RecordWriter.WriteBeginRequest(
                memory, 0x0102, new(FastCgiRole.Responder, BeginRequestFlags.KeepConnection)),
            RecordWriter.BeginRequestRecordSize,
            [1, 1, 1, 2, 0, 8, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]),
        ["end request"] = (
            memory => RecordWriter.WriteEndRequest(memory, 0x0102, new(0x01020304, ProtocolStatus.UnknownRole)),
            RecordWriter.EndRequestRecordSize,
            [1, 3, 1, 2, 0, 8, 0, 0, 1, 2, 3, 4, 3, 0, 0, 0]),
        ["end of a response"] = (
            memory => RecordWriter.WriteEndOfResponse(memory, 9, default),
            RecordWriter.EndOfResponseSize,
            [1, 6, 0, 9, 0, 0, 0, 0, 1, 3, 0, 9, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ["end of the last response"] = (
            memory => RecordWriter.WriteEndOfLastResponse(memory, 9, default),
            RecordWriter.EndOfResponseSize,
            [1, 3, 0, 9, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 0, 9, 0, 0, 0, 0]),
        ["unknown type"] = (
            memory => RecordWriter.WriteUnknownType(memory, (RecordType)200),
            RecordWriter.UnknownTypeRecordSize,
            [1, 11, 0, 0, 0, 8, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0]),
    };

    private readonly byte[] _memory = DirtyMemory.OfLength(64);

    public static TheoryData<string> Records => [.. _records.Keys];

    [Fact]
    public void A_header_takes_the_eight_reserved_bytes_only_and_tells_padding_when_asked_for()
    {
        RecordWriter.WriteHeader(_memory, RecordType.Stdout, 0x0203, 65535);
        Assert.Equal([1, 6, 2, 3, 0xFF, 0xFF, 0, 0], _memory[..8]);
        DirtyMemory.AssertUntouched(_memory, 8);

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

    [Theory, MemberData(nameof(Records))]
    public void Writes_the_bytes_of_the_specification_over_dirty_memory(string record)
    {
        var (write, size, bytes) = _records[record];

        Assert.Equal(size, write(_memory));

        Assert.Equal(bytes, _memory[..size]);
        DirtyMemory.AssertUntouched(_memory, size);
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

    /// <summary>Behind what is there, in records of the longest aligned content, and without the end of the stream.</summary>
    [Theory]
    [InlineData(0, new int[0])]
    [InlineData(1, new[] { 1 })]
    [InlineData(65528, new[] { 65528 })]
    [InlineData(131057, new[] { 65528, 65528, 1 })]
    public void Content_of_any_length_becomes_records(int length, int[] records)
    {
        byte[] content = [.. Enumerable.Range(0, length).Select(static i => (byte)(i % 251))];
        var output = new ArrayBufferWriter<byte>();
        output.Write("before"u8);

        RecordWriter.WriteContent(output, RecordType.Stdin, 0x0203, content);

        var written = output.WrittenSpan;
        Assert.Equal("before"u8, written[..6]);
        written = written[6..];
        var taken = 0;
        foreach (var size in records)
        {
            Assert.Equal([1, 5, 2, 3, (byte)(size >> 8), (byte)size, 0, 0], written[..8].ToArray());
            Assert.True(written.Slice(8, size).SequenceEqual(content.AsSpan(taken, size)));
            written = written[(8 + size)..];
            taken += size;
        }

        Assert.Equal((length, 0), (taken, written.Length));
    }

    [Theory]
    [InlineData(ManagementVariables.None, "")]
    [InlineData(ManagementVariables.MaxRequests, "\x01\x09\0\0\0\x0F\0\0\x0D\0FCGI_MAX_REQS")]
    [InlineData(
        ManagementVariables.All,
        "\x01\x09\0\0\0\x30\0\0\x0E\0FCGI_MAX_CONNS\x0D\0FCGI_MAX_REQS\x0F\0FCGI_MPXS_CONNS")]
    public void A_question_names_what_it_asks_for(ManagementVariables asked, string record)
    {
        var output = new ArrayBufferWriter<byte>();

        RecordWriter.WriteGetValues(output, asked);

        Assert.Equal(Encoding.Latin1.GetBytes(record), output.WrittenSpan.ToArray());
    }
}
