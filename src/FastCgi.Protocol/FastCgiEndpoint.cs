using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace FastCgi.Protocol;

/// <summary>
/// An address in a usual form: <c>fastcgi://host:port</c>, <c>fastcgi://unix:/path</c>, <c>fastcgi://fd:3</c>, the same
/// with <c>scgi://</c>, and the forms of web server configurations: <c>127.0.0.1:9000</c>, <c>unix:/run/app.sock</c>, a
/// path, <c>fcgi://…</c>, Apache's <c>unix:/run/app.sock|fcgi://localhost/</c> and <c>proxy:fcgi://127.0.0.1:9000</c>,
/// Caddy's <c>unix//run/app.sock</c>.
/// </summary>
/// <remarks>
/// A port without a host (<c>:9000</c>, <c>9000</c>) means 127.0.0.1. Some programs use all addresses instead, but the
/// interpretation that opens less is safer. A host without a port has port 9000.
/// </remarks>
public sealed class FastCgiEndpoint
{
    /// <summary>The port of an address without one: 9000.</summary>
    public const int DefaultPort = 9000;

    private const string UnixPrefix = "unix:";
    private const string DescriptorPrefix = "fd:";
    private const string ScgiScheme = "scgi://";
    private const string HandlerPrefix = "proxy:";

    private static readonly SearchValues<char> s_schemeCharacters =
        SearchValues.Create("+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    private FastCgiEndpoint()
    {
    }

    /// <summary>
    /// SCGI if the address has the scheme <c>scgi://</c>, also after Apache's bar; otherwise FastCGI.
    /// </summary>
    public FastCgiEndpointProtocol Protocol { get; private set; }

    /// <summary>
    /// The absolute path of a unix socket. A path that begins with a NUL is in the abstract namespace, written
    /// <c>@name</c>. Null for another kind of address.
    /// </summary>
    public string? SocketPath { get; private init; }

    /// <summary>The number of an inherited descriptor. Null for another kind of address.</summary>
    public ulong? Descriptor { get; private init; }

    /// <summary>
    /// The host of a TCP address as written, with the brackets of IPv6; <c>*</c> for all. Null for another kind of
    /// address.
    /// </summary>
    public string? Host { get; private init; }

    /// <summary>The port of a TCP address, 0 to 65535; 0 for other kinds.</summary>
    public int Port { get; private init; }

    /// <summary>
    /// Reads <paramref name="text"/>, which may be surrounded by whitespace and followed by a semicolon. False if it is
    /// no address; <paramref name="reason"/> then says why, without the text itself.
    /// </summary>
    public static bool TryParse(
        string text,
        [NotNullWhen(true)] out FastCgiEndpoint? endpoint,
        [NotNullWhen(false)] out string? reason)
    {
        ArgumentNullException.ThrowIfNull(text);
        text = text.Trim().TrimEnd(';');
        if (text.StartsWith(HandlerPrefix, StringComparison.OrdinalIgnoreCase))
        {
            // Apache's SetHandler has this prefix before the address.
            text = text[HandlerPrefix.Length..];
        }

        bool isScgi = text.StartsWith(ScgiScheme, StringComparison.OrdinalIgnoreCase)
            || text.Contains("|" + ScgiScheme, StringComparison.OrdinalIgnoreCase);
        (endpoint, reason) = Read(text);
        if (endpoint is not null)
        {
            endpoint.Protocol = isScgi ? FastCgiEndpointProtocol.Scgi : FastCgiEndpointProtocol.FastCgi;
        }

        return endpoint is not null;
    }

    private static (FastCgiEndpoint? Endpoint, string? Reason) Read(string text)
    {
        if (!TryRemoveScheme(ref text, out string? reason))
        {
            return (null, reason);
        }

        if (TryGetSocketPath(text, out string path))
        {
            return Unix(path);
        }

        return text.StartsWith(DescriptorPrefix, StringComparison.OrdinalIgnoreCase)
            ? Inherited(text[DescriptorPrefix.Length..])
            : Tcp(text);
    }

    private static bool TryRemoveScheme(ref string text, out string? reason)
    {
        reason = null;
        foreach (string scheme in (ReadOnlySpan<string>)["fastcgi://", ScgiScheme, "fcgi://", "tcp://"])
        {
            if (text.StartsWith(scheme, StringComparison.OrdinalIgnoreCase))
            {
                text = text[scheme.Length..];
                return true;
            }
        }

        int end = text.IndexOf("://", StringComparison.Ordinal);
        if (end > 0 && text.AsSpan(0, end).IndexOfAnyExcept(s_schemeCharacters) < 0
            && !text.StartsWith(UnixPrefix, StringComparison.OrdinalIgnoreCase))
        {
            reason = $"its scheme is '{text[..end]}', not 'fastcgi' or 'scgi'";
        }

        return reason is null;
    }

    private static bool TryGetSocketPath(string text, out string path)
    {
        foreach (string prefix in (ReadOnlySpan<string>)[UnixPrefix, "unix/", "unix@"])
        {
            if (text.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
            {
                path = text[prefix.Length..];
                return true;
            }
        }

        path = text;
        return text is ['/' or '@', ..];
    }

    private static (FastCgiEndpoint? Endpoint, string? Reason) Unix(string path)
    {
        // Apache's ProxyPass and SetHandler add a host after the socket, which has no meaning.
        foreach (string behind in (ReadOnlySpan<string>)["|fcgi://", "|" + ScgiScheme])
        {
            int bar = path.IndexOf(behind, StringComparison.OrdinalIgnoreCase);
            path = bar < 0 ? path : path[..bar];
        }

        while (path.StartsWith("//", StringComparison.Ordinal))
        {
            path = path[1..];
        }

        if (path is ['@', _, ..])
        {
            path = '\0' + path[1..];
        }
        else if (!Path.IsPathRooted(path))
        {
            return (null, "the path of a unix socket must be absolute");
        }

        return (new FastCgiEndpoint { SocketPath = path }, null);
    }

    private static (FastCgiEndpoint? Endpoint, string? Reason) Inherited(string text) =>
        ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong descriptor)
            ? (new FastCgiEndpoint { Descriptor = descriptor }, null)
            : (null, "a descriptor is a number");

    private static (FastCgiEndpoint? Endpoint, string? Reason) Tcp(string text)
    {
        int slash = text.IndexOf('/', StringComparison.Ordinal);
        if (slash >= 0 && slash < text.Length - 1)
        {
            return (null, "a path base is no part of it: use app.UsePathBase, or PathBase of the server's options");
        }

        text = slash < 0 ? text : text[..slash];
        if (text.Length > 0 && text.AsSpan().IndexOfAnyExceptInRange('0', '9') < 0)
        {
            text = ":" + text;
        }

        int colon = text.EndsWith(']') ? -1 : text.LastIndexOf(':');
        int port = DefaultPort;
        if (colon >= 0 && !TryParsePort(text.AsSpan(colon + 1), out port))
        {
            return (null, "the port is not a number from 0 to 65535");
        }

        string host = colon < 0 ? text : text[..colon];
        return colon < 0 && host.Length == 0
            ? (null, "it names no host")
            : (new FastCgiEndpoint { Host = host.Length == 0 ? "127.0.0.1" : host, Port = port }, null);
    }

    private static bool TryParsePort(ReadOnlySpan<char> text, out int port) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out port) && port <= ushort.MaxValue;
}
