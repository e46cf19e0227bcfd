using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Server;

/// <summary>Trace identifiers in Kestrel's format: connection id, colon, number in hexadecimal.</summary>
internal static class TraceIdentifiers
{
    private const int MostTaken = 128;
    private const string HexDigits = "0123456789ABCDEF";

    /// <summary>The value of the param if it is short printable ASCII, otherwise null.</summary>
    public static string? Find(CgiParams parameters, string? param)
    {
        ReadOnlySpan<byte> value = param is null ? default : parameters.GetBytes(param);
        return value.Length is > 0 and <= MostTaken && !value.ContainsAnyExceptInRange((byte)'!', (byte)'~')
            ? Encoding.ASCII.GetString(value)
            : null;
    }

    public static string Create(string connectionId, uint number)
    {
        Span<char> digits = stackalloc char[9];
        digits[0] = ':';
        for (int i = digits.Length - 1; i > 0; i--, number >>= 4)
        {
            digits[i] = HexDigits[(int)(number & 15)];
        }

        return string.Concat(connectionId, digits);
    }
}
