namespace FastCgi.Protocol.Scgi;

/// <summary>Reads the headers of a complete SCGI head, in place: a name, a NUL, a value, a NUL, and so on.</summary>
public ref struct ScgiHeaderReader
{
    private readonly ReadOnlySpan<byte> _head;
    private int _position;

    /// <summary>Reads from the beginning of <paramref name="head"/>, the content of the netstring.</summary>
    public ScgiHeaderReader(ReadOnlySpan<byte> head) => _head = head;

    /// <summary>
    /// True if <see cref="TryRead"/> has found a header without one of its NULs. Later calls find the same header.
    /// </summary>
    public bool IsTruncated { get; private set; }

    /// <summary>
    /// False if the head has ended, either after a complete header or, with <see cref="IsTruncated"/>, inside one.
    /// </summary>
    public bool TryRead(out NameValuePair header)
    {
        header = default;
        if (_position == _head.Length)
        {
            return false;
        }

        int nameLength = _head[_position..].IndexOf((byte)0);
        int value = _position + nameLength + 1;
        int valueLength = nameLength < 0 ? nameLength : _head[value..].IndexOf((byte)0);
        if (valueLength < 0)
        {
            IsTruncated = true;
            return false;
        }

        header = new NameValuePair(_position, nameLength, value, valueLength);
        _position = value + valueLength + 1;
        return true;
    }
}
