using System.Buffers.Binary;

namespace FastCgi.Protocol;

/// <summary>Reads the name-value pairs of contiguous content, in place (FastCGI 1.0, section 3.4).</summary>
/// <remarks>
/// Content of a stream has to be joined from its records before: a pair may be cut anywhere between them.
/// </remarks>
public ref struct NameValuePairReader
{
    private const int LongLengthSize = 4;
    private const uint LongLengthFlag = 0x8000_0000;

    private readonly ReadOnlySpan<byte> _content;
    private int _position;

    /// <summary>Reads from the begin of <paramref name="content"/>.</summary>
    public NameValuePairReader(ReadOnlySpan<byte> content) => _content = content;

    /// <summary>
    /// <see cref="TryRead"/> has met a pair that is longer than what is left. Later calls meet the same pair.
    /// </summary>
    public bool IsTruncated { get; private set; }

    /// <summary>
    /// False: the content has ended, after a whole pair or, with <see cref="IsTruncated"/>, inside one.
    /// </summary>
    public bool TryRead(out NameValuePair pair)
    {
        pair = default;
        if (_position == _content.Length)
        {
            return false;
        }

        var position = _position;
        if (!TryReadLength(ref position, out var nameLength)
            || !TryReadLength(ref position, out var valueLength)
            || (long)nameLength + valueLength > _content.Length - position) // the sum of two lengths exceeds an int
        {
            IsTruncated = true;
            return false;
        }

        pair = new NameValuePair(position, nameLength, position + nameLength, valueLength);
        _position = position + nameLength + valueLength;
        return true;
    }

    private readonly bool TryReadLength(ref int position, out int length)
    {
        if (position == _content.Length)
        {
            length = 0;
            return false;
        }

        length = _content[position];
        if (length < NameValuePairWriter.LongLengthThreshold)
        {
            position++;
            return true;
        }

        if (!BinaryPrimitives.TryReadUInt32BigEndian(_content[position..], out var flagged))
        {
            return false;
        }

        length = (int)(flagged & ~LongLengthFlag);
        position += LongLengthSize;
        return true;
    }
}
