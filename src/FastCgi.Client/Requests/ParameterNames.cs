namespace FastCgi.Client.Requests;

/// <summary>The names of headers as parameters (RFC 3875, section 4.1.18).</summary>
internal static class ParameterNames
{
    public static ReadOnlySpan<byte> Prefix => "HTTP_"u8;

    /// <summary>
    /// True for headers of a single hop or of HTTP's framing (RFC 9110, section 7.6.1). If the request asks for an
    /// upgrade, Connection and Upgrade are still sent.
    /// </summary>
    public static bool IsHopByHop(string name) => name.Length switch
    {
        2 => Is(name, "TE"),
        6 => Is(name, "Expect"),
        7 => Is(name, "Trailer") || Is(name, "Upgrade"),
        10 => Is(name, "Connection") || Is(name, "Keep-Alive"),
        14 => Is(name, "Content-Length"),
        16 => Is(name, "Proxy-Connection"),
        17 => Is(name, "Transfer-Encoding"),
        _ => false,
    };

    public static bool IsProxy(string name) => name.Length == 5 && Is(name, "Proxy");

    public static bool IsUpgrade(string name) => Is(name, "Connection") || Is(name, "Upgrade");

    /// <summary>
    /// Writes HTTP_ and the name in upper case, with <c>_</c> for <c>-</c>. False if the name contains other characters
    /// than letters, digits and <c>-</c>, and these are not allowed. <paramref name="destination"/> has room for it.
    /// </summary>
    public static bool TryFormat(string name, Span<byte> destination, bool allowAmbiguous)
    {
        Prefix.CopyTo(destination);
        destination = destination[Prefix.Length..];
        for (int i = 0; i < name.Length; i++)
        {
            char c = name[i];
            if (c == '-')
            {
                destination[i] = (byte)'_';
            }
            else if (char.IsAsciiLetterLower(c))
            {
                destination[i] = (byte)(c - ('a' - 'A'));
            }
            else if (char.IsAsciiLetterUpper(c) || char.IsAsciiDigit(c) || (allowAmbiguous && char.IsAscii(c)))
            {
                destination[i] = (byte)c;
            }
            else
            {
                return false;
            }
        }

        return true;
    }

    private static bool Is(string name, string other) => name.Equals(other, StringComparison.OrdinalIgnoreCase);
}
