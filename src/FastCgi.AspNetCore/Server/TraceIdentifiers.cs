using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Server;

/// <summary>Trace identifiers in Kestrel's format: connection id, colon, number in hexadecimal.</summary>
internal static class TraceIdentifiers
{
    private const int MostTaken = 128;

    private static uint s_number;

    /// <summary>The value of the param if it is short printable ASCII, otherwise null.</summary>
    public static string? Find(CgiParams parameters, string? param)
    {
        ReadOnlySpan<byte> value = param is null ? default : parameters.GetBytes(param);
        return value.Length is > 0 and <= MostTaken && !value.ContainsAnyExceptInRange((byte)'!', (byte)'~')
            ? Encoding.ASCII.GetString(value)
            : null;
    }

    /// <summary>Creates an identifier that is unique in the process.</summary>
    public static string Create(string connectionId)
    {
        Span<char> number = stackalloc char[9];
        number[0] = ':';
        Interlocked.Increment(ref s_number).TryFormat(number[1..], out _, "X8", CultureInfo.InvariantCulture);
        return string.Concat(connectionId, number);
    }
}
