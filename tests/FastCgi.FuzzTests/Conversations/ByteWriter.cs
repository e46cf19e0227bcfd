using System.Globalization;
using System.Text;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>Bytes in a row, in memory that is used again. An encoder of its own, as the test kit's is.</summary>
internal sealed class ByteWriter
{
    private byte[] _bytes = [];

    public int Length { get; private set; }

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    public Span<byte> Slice(int start, int length) => _bytes.AsSpan(start, length);

    public void Clear() => Length = 0;

    public void RemoveStart(int count)
    {
        _bytes.AsSpan(count, Length - count).CopyTo(_bytes);
        Length -= count;
    }

    public void Add(byte value) => Grow(1)[0] = value;

    public void Add(ReadOnlySpan<byte> bytes) => bytes.CopyTo(Grow(bytes.Length));

    public void Record(int type, int id, ReadOnlySpan<byte> content, int padding = 0)
    {
        var record = Grow(8 + content.Length + padding);
        record[0] = 1;
        record[1] = (byte)type;
        record[2] = (byte)(id >> 8);
        record[3] = (byte)id;
        record[4] = (byte)(content.Length >> 8);
        record[5] = (byte)content.Length;
        record[6] = (byte)padding;
        record[7] = 0;
        content.CopyTo(record[8..]);
        record[(8 + content.Length)..].Fill(0xAA);
    }

    /// <summary>A name–value pair of FastCGI, or a header of SCGI.</summary>
    public void Param(bool isScgi, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (isScgi)
        {
            Add(name);
            Add(0);
            Add(value);
            Add(0);
            return;
        }

        PairLength(name.Length);
        PairLength(value.Length);
        Add(name);
        Add(value);
    }

    public void Netstring(ReadOnlySpan<byte> content)
    {
        Add(Encoding.ASCII.GetBytes(content.Length.ToString(CultureInfo.InvariantCulture)));
        Add((byte)':');
        Add(content);
        Add((byte)',');
    }

    private void PairLength(int length)
    {
        if (length < 0x80)
        {
            Add((byte)length);
            return;
        }

        Span<byte> four = [(byte)((length >> 24) | 0x80), (byte)(length >> 16), (byte)(length >> 8), (byte)length];
        Add(four);
    }

    private Span<byte> Grow(int count)
    {
        if (Length + count > _bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(Math.Max(_bytes.Length * 2, 256), Length + count));
        }

        Length += count;
        return _bytes.AsSpan(Length - count, count);
    }
}
