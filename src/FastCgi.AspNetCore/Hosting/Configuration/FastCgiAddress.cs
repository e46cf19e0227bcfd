using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// An address as people write it: <c>fastcgi://host:port</c>, <c>fastcgi://unix:/path</c>, <c>fastcgi://fd:3</c>, the
/// same with <c>scgi://</c>, and what they paste from a web server's configuration: <c>127.0.0.1:9000</c>,
/// <c>unix:/run/app.sock</c>, a bare path, <c>fcgi://…</c>, Apache's <c>unix:/run/app.sock|fcgi://localhost/</c>,
/// Caddy's <c>unix//run/app.sock</c>.
/// </summary>
/// <remarks>
/// A port without a host (<c>:9000</c>, <c>9000</c>) means 127.0.0.1: some programs take it for all addresses, and of
/// two readings the one that opens less is the right one. <c>*:9000</c> names all addresses.
/// </remarks>
internal static class FastCgiAddress
{
    /// <summary>What every FastCGI program listens on when nobody says otherwise.</summary>
    public const int DefaultPort = 9000;

    private const string Scheme = "fastcgi://";
    private const string ScgiScheme = "scgi://";
    private const string UnixPrefix = "unix:";
    private const string DescriptorPrefix = "fd:";

    private static readonly SearchValues<char> s_schemeCharacters =
        SearchValues.Create("+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    /// <summary>HTTP addresses come from launch profiles and container images; they are not ours to bind.</summary>
    public static bool IsHttp(string address) =>
        address.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
        || address.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>Adds what <paramref name="address"/> names to <paramref name="options"/>.</summary>
    /// <exception cref="FormatException">It names nothing; the message says why.</exception>
    public static void Listen(FastCgiServerOptions options, string address, Action<FastCgiListenOptions> configure)
    {
        string text = address.Trim().TrimEnd(';');
        if (IsScgi(text))
        {
            Action<FastCgiListenOptions> configureRest = configure;
            configure = listen =>
            {
                listen.Protocol = FastCgiEndpointProtocol.Scgi;
                configureRest(listen);
            };
        }

        text = WithoutScheme(address, text);
        if (TryGetSocketPath(text, out string path))
        {
            ListenUnix(options, address, path, configure);
        }
        else if (text.StartsWith(DescriptorPrefix, StringComparison.OrdinalIgnoreCase))
        {
            options.ListenHandle(Descriptor(address, text[DescriptorPrefix.Length..]), configure);
        }
        else
        {
            ListenTcp(options, address, text, configure);
        }
    }

    /// <summary>The published form. BindingAddress.Parse understands it, as HttpsRedirection needs.</summary>
    public static string Format(EndPoint endPoint, FastCgiEndpointProtocol protocol) =>
        SchemeOf(protocol) + endPoint switch
    {
        // An abstract socket without "unix:", after which BindingAddress looks for a path or a port.
        UnixDomainSocketEndPoint unix when IsAbstract(unix) =>
            unix.ToString()!.Replace(":", "%3A", StringComparison.Ordinal),
        UnixDomainSocketEndPoint unix => UnixPrefix + unix,
        _ => endPoint,
    };

    /// <summary>With the two slashes.</summary>
    public static string SchemeOf(FastCgiEndpointProtocol protocol) =>
        protocol == FastCgiEndpointProtocol.Scgi ? ScgiScheme : Scheme;

    /// <summary>Also Apache's form for a unix socket, which names the protocol behind the path.</summary>
    private static bool IsScgi(string text) =>
        text.StartsWith(ScgiScheme, StringComparison.OrdinalIgnoreCase)
        || text.Contains("|" + ScgiScheme, StringComparison.OrdinalIgnoreCase);

    private static bool IsAbstract(UnixDomainSocketEndPoint endPoint) => endPoint.ToString() is ['@', ..];

    private static string WithoutScheme(string address, string text)
    {
        foreach (string scheme in (ReadOnlySpan<string>)[Scheme, ScgiScheme, "fcgi://", "tcp://", "proxy:"])
        {
            if (text.StartsWith(scheme, StringComparison.OrdinalIgnoreCase))
            {
                return text[scheme.Length..];
            }
        }

        int end = text.IndexOf("://", StringComparison.Ordinal);
        return end > 0 && text.AsSpan(0, end).IndexOfAnyExcept(s_schemeCharacters) < 0
            && !text.StartsWith(UnixPrefix, StringComparison.OrdinalIgnoreCase)
            ? throw Invalid(address, $"its scheme is '{text[..end]}', not 'fastcgi' or 'scgi'")
            : text;
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

    private static void ListenUnix(
        FastCgiServerOptions options, string address, string path, Action<FastCgiListenOptions> configure)
    {
        // Apache's ProxyPass and SetHandler name, behind the socket, a host that means nothing.
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
            throw Invalid(address, "the path of a unix socket must be absolute");
        }

        try
        {
            options.ListenUnixSocket(path, configure);
        }
        catch (ArgumentException exception)
        {
            throw Invalid(address, exception.Message);
        }
    }

    private static ulong Descriptor(string address, string text) =>
        ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong descriptor)
            ? descriptor
            : throw Invalid(address, "a descriptor is a number");

    private static void ListenTcp(
        FastCgiServerOptions options, string address, string text, Action<FastCgiListenOptions> configure)
    {
        int slash = text.IndexOf('/', StringComparison.Ordinal);
        if (slash >= 0)
        {
            if (slash < text.Length - 1)
            {
                throw Invalid(address,
                    "a path base is no part of it: use app.UsePathBase, or PathBase of the server's options");
            }

            text = text[..slash];
        }

        (string host, int port) = Split(address, text);
        if (host is "*" or "+")
        {
            options.ListenAnyIP(port, configure);
        }
        else if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
        {
            if (port == 0)
            {
                throw Invalid(address, "localhost is two addresses, which cannot share a port that the system " +
                    "chooses: use 127.0.0.1:0 or [::1]:0");
            }

            options.ListenLocalhost(port, configure);
        }
        else if (TryParseHost(host, out IPAddress? ip))
        {
            options.Listen(ip, port, configure);
        }
        else
        {
            throw Invalid(address, $"'{host}' is neither an IP address (of IPv6: [::1]) nor 'localhost' nor '*'");
        }
    }

    private static (string Host, int Port) Split(string address, string text)
    {
        int colon = text.EndsWith(']') ? -1 : text.LastIndexOf(':');
        if (text.Length > 0 && text.AsSpan().IndexOfAnyExceptInRange('0', '9') < 0)
        {
            return ("127.0.0.1", Port(address, text));
        }

        if (colon < 0)
        {
            return text.Length > 0 ? (text, DefaultPort) : throw Invalid(address, "it names no host");
        }

        return (colon == 0 ? "127.0.0.1" : text[..colon], Port(address, text[(colon + 1)..]));
    }

    private static int Port(string address, string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int port) && port <= IPEndPoint.MaxPort
            ? port
            : throw Invalid(address, "the port is not a number from 0 to 65535");

    private static bool TryParseHost(string host, [NotNullWhen(true)] out IPAddress? ip) => host is ['[', .., ']']
        ? StrictIPAddress.TryParse(host.AsSpan(1, host.Length - 2), out ip)
            && ip.AddressFamily == AddressFamily.InterNetworkV6
        : StrictIPAddress.TryParse(host, out ip) && ip.AddressFamily == AddressFamily.InterNetwork;

    private static FormatException Invalid(string address, string reason) => new(
        $"The address '{address}' cannot be listened on: {reason}. " +
        "Write it like fastcgi://127.0.0.1:9000 or fastcgi://unix:/run/app/app.sock.");
}
