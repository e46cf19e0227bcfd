using System.Text;

namespace FastCgi.TestKit;

/// <summary>
/// Writes what a web server sends. An encoder of its own, byte by byte from the specification, so that the server
/// and its tests cannot share one mistake. Nothing is checked: wrong records are what many tests want.
/// </summary>
public sealed class RecordBuilder
{
    private readonly List<byte> _bytes = [];

    public int Length => _bytes.Count;

    /// <summary>Of the first record.</summary>
    public int Id => (_bytes[2] << 8) | _bytes[3];

    /// <summary>A whole request.</summary>
    public static implicit operator RecordBuilder(RequestScript request) => new RecordBuilder().Request(request);

    /// <summary>Role 1 is the responder, 2 the authorizer, 3 the filter.</summary>
    public RecordBuilder Begin(int id = 1, int role = 1, bool keepConnection = true) =>
        Record(1, id, [(byte)(role >> 8), (byte)role, keepConnection ? (byte)1 : (byte)0, 0, 0, 0, 0, 0]);

    public RecordBuilder Abort(int id = 1) => Record(2, id, []);

    /// <summary>
    /// The pairs in records of <paramref name="recordSize"/> bytes, cut anywhere; without the end of the
    /// stream.
    /// </summary>
    public RecordBuilder Params(int id, IEnumerable<(string Name, string Value)> pairs, int recordSize = 65535) =>
        Stream(4, id, Pairs(pairs), recordSize);

    public RecordBuilder EndParams(int id = 1) => Record(4, id, []);

    /// <summary>The body in records of <paramref name="recordSize"/> bytes, without the end of the stream.</summary>
    public RecordBuilder Stdin(int id, ReadOnlySpan<byte> body, int recordSize = 65535) =>
        Stream(5, id, body, recordSize);

    public RecordBuilder EndStdin(int id = 1) => Record(5, id, []);

    public RecordBuilder Data(int id, ReadOnlySpan<byte> content) => Record(8, id, content);

    /// <summary>Asks for variables by name, with the empty values that the specification wants.</summary>
    public RecordBuilder GetValues(params string[] names) =>
        Record(9, 0, Pairs(names.Select(static name => (name, ""))));

    /// <summary>A whole request: begin, params and their end, body and its end.</summary>
    public RecordBuilder Request(RequestScript request) =>
        Begin(request.Id, request.Role, request.KeepConnection)
            .Params(request.Id, request.ToParams())
            .EndParams(request.Id)
            .Stdin(request.Id, request.Body)
            .EndStdin(request.Id);

    /// <summary>Content cut over records; no record at all for no content.</summary>
    public RecordBuilder Stream(int type, int id, ReadOnlySpan<byte> content, int recordSize = 65535)
    {
        for (var start = 0; start < content.Length; start += recordSize)
        {
            Record(type, id, content.Slice(start, Math.Min(recordSize, content.Length - start)));
        }

        return this;
    }

    /// <summary>Any record. The padding is of 0xAA bytes, which a reader must not mistake for anything.</summary>
    public RecordBuilder Record(
        int type, int id, ReadOnlySpan<byte> content, int padding = 0, int version = 1, int reserved = 0)
    {
        _bytes.Add((byte)version);
        _bytes.Add((byte)type);
        _bytes.Add((byte)(id >> 8));
        _bytes.Add((byte)id);
        _bytes.Add((byte)(content.Length >> 8));
        _bytes.Add((byte)content.Length);
        _bytes.Add((byte)padding);
        _bytes.Add((byte)reserved);
        _bytes.AddRange(content);
        for (var i = 0; i < padding; i++)
        {
            _bytes.Add(0xAA);
        }

        return this;
    }

    public RecordBuilder Raw(ReadOnlySpan<byte> bytes)
    {
        _bytes.AddRange(bytes);
        return this;
    }

    public byte[] ToArray() => [.. _bytes];

    /// <summary>The content of a stream of params.</summary>
    public static byte[] Pairs(IEnumerable<(string Name, string Value)> pairs) =>
        Bytes.Join(pairs.Select(static pair => Pair(pair.Name, pair.Value)));

    /// <summary>One pair as UTF-8, its lengths in the shortest form.</summary>
    public static byte[] Pair(string name, string value) =>
        Pair(Encoding.UTF8.GetBytes(name), Encoding.UTF8.GetBytes(value));

    /// <summary>One pair; <paramref name="longLengths"/> asks for four bytes where one would do.</summary>
    public static byte[] Pair(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool longLengths = false) =>
        [.. PairLength(name.Length, longLengths), .. PairLength(value.Length, longLengths), .. name, .. value];

    private static byte[] PairLength(int length, bool isLong) =>
        length < 0x80 && !isLong
            ? [(byte)length]
            : [(byte)((length >> 24) | 0x80), (byte)(length >> 16), (byte)(length >> 8), (byte)length];
}
