namespace FastCgi.Client.Requests;

/// <summary>Escapes of a target (RFC 3986, section 2.1).</summary>
internal static class PercentEncoding
{
    /// <summary>Escapes the bytes beyond ASCII of a header value, in which each byte is one character.</summary>
    public static string EscapeBytes(string value) => Ascii.IsValid(value)
        ? value
        : string.Concat(value.Select(static c => char.IsAscii(c) ? c.ToString() : $"%{(int)c:X2}"));

    /// <summary>Decodes the path of a target once, to bytes. Invalid escapes stay as they are.</summary>
    public static byte[] Decode(ReadOnlySpan<char> path)
    {
        byte[] bytes = new byte[Encoding.UTF8.GetByteCount(path)];
        int length = Encoding.UTF8.GetBytes(path, bytes);
        int escape = bytes.AsSpan().IndexOf((byte)'%');
        if (escape < 0)
        {
            return bytes;
        }

        int to = escape;
        for (int from = escape; from < length; from++)
        {
            if (bytes[from] == '%' && from + 2 < length
                && char.IsAsciiHexDigit((char)bytes[from + 1]) && char.IsAsciiHexDigit((char)bytes[from + 2]))
            {
                bytes[to++] = (byte)((Digit(bytes[from + 1]) << 4) | Digit(bytes[from + 2]));
                from += 2;
            }
            else
            {
                bytes[to++] = bytes[from];
            }
        }

        return bytes[..to];
    }

    private static int Digit(byte hex) => hex <= '9' ? hex - '0' : (hex | 0x20) - 'a' + 10;
}
