using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Server;

/// <summary>Ids as Kestrel's users know them from logs: connection id, colon, number in hexadecimal.</summary>
internal static class TraceIdentifiers
{
    private const int MostTaken = 128;
    private const string HexDigits = "0123456789ABCDEF";

    /// <summary>The value of the param, if it is a name that a log can show; null without one.</summary>
    public static string? Find(CgiParams parameters, string? param)
    {
        ReadOnlySpan<byte> value = param is null ? default : parameters.GetBytes(param);
        return value.Length is > 0 and <= MostTaken && !value.ContainsAnyExceptInRange((byte)'!', (byte)'~')
            ? Encoding.ASCII.GetString(value)
            : null;
    }

    public static string Create(string connectionId, uint number) => string.Create(
        connectionId.Length + 9,
        (connectionId, number),
        static (span, state) =>
        {
            state.connectionId.CopyTo(span);
            span[state.connectionId.Length] = ':';
            uint number = state.number;
            for (int i = span.Length - 1; i > state.connectionId.Length; i--, number >>= 4)
            {
                span[i] = HexDigits[(int)(number & 15)];
            }
        });
}
