using System.Globalization;
using System.Text;

namespace FastCgi.FuzzTests.Conversations;

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
        ("HTTP_COOKIE", "a=1; b=2"),
    ];

    // By protocol, then few and many.
    private static readonly byte[][] s_others =
        [Of(s_few, false), Of(s_many, false), Of(s_few, true), Of(s_many, true)];

    private static readonly byte[] s_long = [.. Enumerable.Repeat((byte)'x', 5000)];

    public static void Write(ByteWriter into, Script script, bool isFull)
    {
        var isScgi = script.Conversation.IsScgi;
        Span<byte> number = stackalloc byte[16];
        Span<byte> target = stackalloc byte[19];
        target[0] = (byte)'/';
        Encoding.ASCII.GetBytes(script.Token, target[1..]);
        if (isScgi)
        {
            into.Param(true, "CONTENT_LENGTH"u8, Digits(script.BodyLength, number));
            into.Param(true, "SCGI"u8, "1"u8);
        }

        if (script.IsCut)
        {
            into.Param(isScgi, "HTTP_CONTENT_LENGTH"u8, Digits(script.BodyLength + 1, number));
        }

        into.Param(isScgi, "REQUEST_METHOD"u8, Encoding.ASCII.GetBytes(script.Method));
        into.Param(isScgi, "REQUEST_URI"u8, target);
        into.Param(isScgi, "SCRIPT_NAME"u8, target);
        if (isFull)
        {
            into.Param(isScgi, "DOCUMENT_URI"u8, target);
        }

        var declares = script.DeclaresLength && !isScgi;
        var isLast = declares && (script.Nonce & 8) != 0;
        if (declares && !isLast)
        {
            into.Param(false, "CONTENT_LENGTH"u8, Digits(script.BodyLength, number));
        }

        if (script.Reads == Reading.Form)
        {
            into.Param(isScgi, "CONTENT_TYPE"u8, "application/x-www-form-urlencoded"u8);
        }

        if (script.Fails == Failing.InRequestSelector)
        {
            into.Param(isScgi, "HTTP_X_FAILS"u8, [0xE9]);
        }

        if (script.IsUpgrade || script.AsksInVain)
        {
            into.Param(isScgi, "HTTP_UPGRADE"u8, "echo"u8);
            into.Param(isScgi, "HTTP_CONNECTION"u8, "upgrade"u8);
        }

        into.Add(s_others[(isScgi ? 2 : 0) + (isFull ? 1 : 0)]);
        if (script.LongHeader > 0)
        {
            into.Param(isScgi, "HTTP_X_LONG"u8, s_long.AsSpan(0, script.LongHeader));
        }

        if (isLast)
        {
            into.Param(false, "CONTENT_LENGTH"u8, Digits(script.BodyLength, number));
        }
    }

    private static ReadOnlySpan<byte> Digits(int value, Span<byte> into)
    {
        value.TryFormat(into, out var count, default, CultureInfo.InvariantCulture);
        return into[..count];
    }

    private static byte[] Of((string Name, string Value)[] pairs, bool isScgi)
    {
        var writer = new ByteWriter();
        foreach (var (name, value) in pairs)
        {
            writer.Param(isScgi, Encoding.ASCII.GetBytes(name), Encoding.ASCII.GetBytes(value));
        }

        return writer.Written.ToArray();
    }
}
