namespace FastCgi.Client.Sending;

/// <summary>
/// The remaining length of a response body. Bytes beyond the declared length are dropped, as web servers do.
/// </summary>
internal struct RemainingLength(long? declared, bool hasBody)
{
    private readonly bool _isKnown = !hasBody || declared is not null;
    private long _remaining = hasBody ? declared ?? long.MaxValue : 0;

    /// <summary>True if a length was declared and is not reached.</summary>
    public readonly bool IsMissing => _isKnown && _remaining > 0;

    /// <summary>True if all of the declared length has come, or no body is expected.</summary>
    public readonly bool IsKnownToBeWhole => _isKnown && _remaining == 0;

    /// <summary>The missing length, for messages.</summary>
    public readonly string Missing => IsMissing ? $", {_remaining} bytes before its Content-Length" : "";

    /// <summary>Counts bytes of content. Returns how many of them belong to the body.</summary>
    public int Take(int count)
    {
        count = (int)Math.Min(count, _remaining);
        _remaining -= _isKnown ? count : 0;
        return count;
    }

    /// <summary>Copies content, and drops the excess.</summary>
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
