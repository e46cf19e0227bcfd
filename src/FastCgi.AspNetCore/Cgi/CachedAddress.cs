using System.Buffers;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>An address from a param. Returns the same object while the text stays the same.</summary>
internal sealed class CachedAddress
{
    // "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", and room for a zone.
    private const int MaxLength = 64;

    private static readonly SearchValues<byte> _version4Characters = SearchValues.Create("0123456789."u8);

    private volatile ParsedAddress? _last;

    /// <summary>The address; null without a text, or for another text, such as nginx's <c>unix:</c>.</summary>
    public IPAddress? Parse(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty || text.Length > MaxLength)
        {
            return null;
        }

        var last = _last;
        if (last is null || !text.SequenceEqual(last.Text))
        {
            // Both from one copy: for a reader that is too late, the text may change meanwhile.
            var copy = text.ToArray();
            _last = last = new ParsedAddress(copy, ParseText(copy));
        }

        return last.Address;
    }

    /// <summary>
    /// True if the text stands for a client on the web server's unix socket: <c>unix:</c> of nginx, <c>unix</c> of
    /// HAProxy, <c>@</c> of Caddy, the path of lighttpd, <c>localhost</c> of h2o.
    /// </summary>
    public static bool IsUnix(ReadOnlySpan<byte> text) =>
        text.StartsWith("unix:"u8) || text.SequenceEqual("unix"u8) || text.SequenceEqual("localhost"u8)
        || (!text.IsEmpty && text[0] is (byte)'@' or (byte)'/');

    private static IPAddress? ParseText(ReadOnlySpan<byte> text)
    {
        // "[2001:db8::7]", "[2001:db8::7]:4711" and "198.51.100.7:4711": some proxies write the client's port too.
        var end = text[0] == '[' ? text.IndexOf((byte)']') : text.Count((byte)':') == 1 ? text.IndexOf((byte)':') : -1;
        if (end >= 0)
        {
            var rest = text[0] == '[' ? text[(end + 1)..] : text[end..];
            if (!rest.IsEmpty && (rest[0] != ':' || HostText.ParsePort(rest[1..]) == 0))
            {
                return null;
            }

            text = text[0] == '[' ? text[1..end] : text[..end];
        }

        // IPAddress also accepts "1" and "0x7f.1", which no web server writes.
        var isVersion6 = text.Contains((byte)':');
        if (text.Contains((byte)'[') || (!isVersion6 && (text.Count((byte)'.') != 3
            || text.ContainsAnyExcept(_version4Characters))))
        {
            return null;
        }

        return IPAddress.TryParse(Encoding.UTF8.GetString(text), out var address) ? address : null;
    }

    /// <summary>One object, so that every reader sees a text and the matching address.</summary>
    private sealed record ParsedAddress(byte[] Text, IPAddress? Address);
}
