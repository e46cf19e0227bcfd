namespace FastCgi.AspNetCore.Cgi;

/// <summary>The value of CONTENT_LENGTH (RFC 3875, section 4.1.2).</summary>
internal static class ContentLengthText
{
    /// <summary>Digits only, up to 2^63 - 1; or exactly <c>-1</c>, and nothing, for an unknown length.</summary>
    /// <remarks>Caddy 2.6 sends <c>-1</c> for a chunked upload.</remarks>
    public static bool TryParse(ReadOnlySpan<byte> text, out long? length)
    {
        length = null;
        if (text.IsEmpty || text.SequenceEqual("-1"u8))
        {
            return true;
        }

        // 19 digits always fit into 64 bits without a sign, and may be too much with one.
        if (text.Length > 19 || text.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
        {
            return false;
        }

        var value = 0UL;
        foreach (var digit in text)
        {
            value = (value * 10) + digit - '0';
        }

        length = (long)value;
        return value <= long.MaxValue;
    }
}
