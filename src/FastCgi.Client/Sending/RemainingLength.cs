namespace FastCgi.Client.Sending;

/// <summary>
/// How much of a response body is still to come. What exceeds the declared length is dropped, as web servers do.
/// </summary>
internal struct RemainingLength(long? declared, bool hasBody)
{
    private readonly bool _isKnown = !hasBody || declared is not null;
    private long _remaining = hasBody ? declared ?? long.MaxValue : 0;

    /// <summary>A length was declared, and it is not reached.</summary>
    public readonly bool IsMissing => _isKnown && _remaining > 0;

    /// <summary>All of the declared length has come, or none was to come.</summary>
    public readonly bool IsKnownToBeWhole => _isKnown && _remaining == 0;

    /// <summary>For messages.</summary>
    public readonly string Missing => IsMissing ? $", {_remaining} bytes before its Content-Length" : "";

    /// <summary>Counts so many bytes of content, and returns how many of them belong to the body.</summary>
    public int Take(int count)
    {
        count = (int)Math.Min(count, _remaining);
        _remaining -= _isKnown ? count : 0;
        return count;
    }

    /// <summary>Copies content, and drops all of it that is too much.</summary>
    public int Take(ref ReadOnlyMemory<byte> content, Memory<byte> destination)
    {
        if (_remaining == 0)
        {
            content = default;
            return 0;
        }

        int count = Take(Math.Min(content.Length, destination.Length));
        content[..count].CopyTo(destination);
        content = content[count..];
        return count;
    }
}
