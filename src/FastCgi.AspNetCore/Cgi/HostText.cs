using System.Buffers;
using System.Buffers.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>Host and port as text, with Kestrel's rules for the Host header.</summary>
internal static class HostText
{
    private static readonly SearchValues<byte> _nameCharacters = SearchValues.Create(
        "!$&'()-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private static readonly SearchValues<byte> _addressCharacters = SearchValues.Create("0123456789ABCDEFabcdef:."u8);

    /// <summary>True for a host with an optional port, and for an empty text.</summary>
    public static bool IsValid(ReadOnlySpan<byte> host)
    {
        if (host.IsEmpty)
        {
            return true;
        }

        if (host[0] == ':')
        {
            return false;
        }

        if (host[0] == '[')
        {
            var end = host.IndexOf((byte)']');
            return end >= 3 && !host[1..end].ContainsAnyExcept(_addressCharacters) && IsPortPart(host[(end + 1)..]);
        }

        var nameEnd = host.IndexOfAnyExcept(_nameCharacters);
        return nameEnd < 0 || IsPortPart(host[nameEnd..]);
    }

    /// <summary>True if the valid host has a port.</summary>
    public static bool HasPort(ReadOnlySpan<byte> host)
    {
        var colon = host.LastIndexOf((byte)':');
        return colon >= 0 && host[colon..].IndexOf((byte)']') < 0;
    }

    /// <summary>A port; 0 if invalid.</summary>
    public static int ParsePort(ReadOnlySpan<byte> text) =>
        Utf8Parser.TryParse(text, out ushort port, out var length) && length == text.Length ? port : 0;

    /// <summary>
    /// Creates a Host header from SERVER_PORT and SERVER_NAME, which may already have a port and may lack the brackets
    /// of an IPv6 address. Null if that is not possible.
    /// </summary>
    public static string? FromServer(string name, int port, bool isHttps)
    {
        name = !name.StartsWith('[') && name.AsSpan().Count(':') > 1 ? $"[{name}]" : name;
        var host = HasPort(Encoding.UTF8.GetBytes(name)) || port == 0 || IsDefaultPort(port, isHttps)
            ? name
            : string.Create(CultureInfo.InvariantCulture, $"{name}:{port}");
        return IsValid(Encoding.UTF8.GetBytes(host)) ? host : null;
    }

    /// <summary>Compares hosts, ignoring case and the scheme's default port (RFC 9110, section 4.2.3).</summary>
    public static bool AreSame(ReadOnlySpan<byte> host, string other, bool isHttps) => Ascii.EqualsIgnoreCase(
        WithoutDefaultPort(host, isHttps), WithoutDefaultPort(Encoding.ASCII.GetBytes(other), isHttps));

    /// <summary>True if the valid host has this name, whatever its port is and whether it has brackets.</summary>
    public static bool IsNamed(ReadOnlySpan<byte> host, ReadOnlySpan<byte> name)
    {
        var end = HasPort(host) ? host.LastIndexOf((byte)':') : host.Length;
        return Ascii.EqualsIgnoreCase(host[..end].Trim("[]"u8), name.Trim("[]"u8));
    }

    public static bool IsDefaultPort(int port, bool isHttps) => port == (isHttps ? 443 : 80);

    private static ReadOnlySpan<byte> WithoutDefaultPort(ReadOnlySpan<byte> host, bool isHttps)
    {
        var port = isHttps ? ":443"u8 : ":80"u8;
        return host.EndsWith(port) ? host[..^port.Length] : host;
    }

    private static bool IsPortPart(ReadOnlySpan<byte> text) =>
        text.IsEmpty
        || (text.Length > 1 && text[0] == ':' && !text[1..].ContainsAnyExceptInRange((byte)'0', (byte)'9'));

    /// <summary>True if the URL has this host and no port.</summary>
    public static bool IsOfOrigin(ReadOnlySpan<byte> host, ReadOnlySpan<byte> url)
    {
        var start = url.IndexOf("://"u8);
        var authority = start < 0 ? default : url[(start + 3)..];
        var end = authority.IndexOf((byte)'/');
        return host.SequenceEqual(end < 0 ? authority : authority[..end]);
    }
}
