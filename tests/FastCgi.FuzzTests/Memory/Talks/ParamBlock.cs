using System.Globalization;
using System.Text;

namespace FastCgi.FuzzTests.Memory.Talks;

/// <summary>The params of a script, as FastCGI and as SCGI have them.</summary>
internal static class ParamBlock
{
    private static readonly (string, string)[] s_few =
    [
        ("SERVER_PROTOCOL", "HTTP/1.1"), ("HTTP_HOST", "example.test"), ("REMOTE_ADDR", "192.0.2.7"),
    ];

    private static readonly (string, string)[] s_many =
    [
        .. s_few, ("QUERY_STRING", ""), ("REQUEST_SCHEME", "http"),
        ("GATEWAY_INTERFACE", "CGI/1.1"), ("SERVER_SOFTWARE", "nginx/1.26.3"), ("REMOTE_PORT", "50123"),
        ("SERVER_ADDR", "192.0.2.1"), ("SERVER_PORT", "80"), ("SERVER_NAME", "example.test"),
        ("HTTP_USER_AGENT", "Mozilla/5.0 (X11; Linux x86_64)"), ("HTTP_ACCEPT", "*/*"),
        ("HTTP_COOKIE", "a=1; b=2"), ("HTTP_X_LONG", new string('x', 200)),
    ];

    private static readonly byte[][] s_pairs = [Pairs(s_few), Pairs(s_many)];

    private static readonly byte[][] s_headers = [Headers(s_few), Headers(s_many)];

    public static void Write(ByteWriter into, Script script, bool isFull)
    {
        Span<byte> number = stackalloc byte[16];
        into.Pair("REQUEST_METHOD"u8, MethodOf(script));
        into.Pair("REQUEST_URI"u8, TargetOf(script, stackalloc byte[17]));
        into.Pair("SCRIPT_NAME"u8, TargetOf(script, stackalloc byte[17]));
        if (script.DeclaresLength)
        {
            into.Pair("CONTENT_LENGTH"u8, Digits(script.BodyLength, number));
        }

        if (script.Reads == Reading.Form)
        {
            into.Pair("CONTENT_TYPE"u8, "application/x-www-form-urlencoded"u8);
        }

        if (script.Fails == Failing.InRequestSelector)
        {
            into.Pair("HTTP_X_FAILS"u8, [0xE9]);
        }

        if (script.IsUpgrade || script.AsksInVain)
        {
            into.Pair("HTTP_UPGRADE"u8, "echo"u8);
            into.Pair("HTTP_CONNECTION"u8, "upgrade"u8);
        }

        into.Add(s_pairs[isFull ? 1 : 0]);
    }

    public static void WriteScgi(ByteWriter into, Script script, bool isFull)
    {
        Span<byte> number = stackalloc byte[16];
        into.Header("CONTENT_LENGTH"u8, Digits(script.BodyLength, number));
        into.Header("SCGI"u8, "1"u8);
        if (script.IsCut)
        {
            into.Header("HTTP_CONTENT_LENGTH"u8, Digits(script.BodyLength + 1, number));
        }

        into.Header("REQUEST_METHOD"u8, MethodOf(script));
        into.Header("REQUEST_URI"u8, TargetOf(script, stackalloc byte[17]));
        into.Header("SCRIPT_NAME"u8, TargetOf(script, stackalloc byte[17]));
        if (script.Reads == Reading.Form)
        {
            into.Header("CONTENT_TYPE"u8, "application/x-www-form-urlencoded"u8);
        }

        if (script.Fails == Failing.InRequestSelector)
        {
            into.Header("HTTP_X_FAILS"u8, [0xE9]);
        }

        if (script.IsUpgrade || script.AsksInVain)
        {
            into.Header("HTTP_UPGRADE"u8, "echo"u8);
            into.Header("HTTP_CONNECTION"u8, "upgrade"u8);
        }

        into.Add(s_headers[isFull ? 1 : 0]);
    }

    private static ReadOnlySpan<byte> MethodOf(Script script) =>
        script.IsRefused ? "NO METHOD"u8
        : script.IsHead ? "HEAD"u8
        : script.BodyLength > 0 || script.IsCut ? "POST"u8
        : "GET"u8;

    private static ReadOnlySpan<byte> TargetOf(Script script, Span<byte> into)
    {
        into[0] = (byte)'/';
        script.Number.TryFormat(into[1..], out _, "x8", CultureInfo.InvariantCulture);
        script.Nonce.TryFormat(into[9..], out _, "x8", CultureInfo.InvariantCulture);
        return into;
    }

    private static ReadOnlySpan<byte> Digits(int value, Span<byte> into)
    {
        value.TryFormat(into, out var count, default, CultureInfo.InvariantCulture);
        return into[..count];
    }

    private static byte[] Pairs((string Name, string Value)[] pairs)
    {
        var writer = new ByteWriter();
        foreach (var (name, value) in pairs)
        {
            writer.Pair(Encoding.ASCII.GetBytes(name), Encoding.ASCII.GetBytes(value));
        }

        return writer.Written.ToArray();
    }

    private static byte[] Headers((string Name, string Value)[] headers)
    {
        var writer = new ByteWriter();
        foreach (var (name, value) in headers)
        {
            writer.Header(Encoding.ASCII.GetBytes(name), Encoding.ASCII.GetBytes(value));
        }

        return writer.Written.ToArray();
    }
}
