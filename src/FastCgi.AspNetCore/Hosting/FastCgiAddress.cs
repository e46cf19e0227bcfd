using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Diagnostics.CodeAnalysis;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// An address as people write it: <c>fastcgi://host:port</c>, <c>fastcgi://unix:/path</c>, <c>fastcgi://fd:3</c>, and
/// what they paste from a web server's configuration (<c>127.0.0.1:9000</c>, <c>unix:/run/app.sock</c>,
/// <c>fcgi://…</c>, a bare path).
/// </summary>
internal static class FastCgiAddress
{
    /// <summary>What every FastCGI program listens on when nobody says otherwise.</summary>
    public const int DefaultPort = 9000;

    private const string Scheme = "fastcgi://";
    private const string UnixPrefix = "unix:";
    private const string DescriptorPrefix = "fd:";

    /// <summary>HTTP addresses come from launch profiles and container images; they are not ours to bind.</summary>
    public static bool IsHttp(string address) =>
        address.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
        || address.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>Adds what <paramref name="address"/> names to <paramref name="options"/>.</summary>
    /// <exception cref="FormatException">It names nothing.</exception>
    public static void Listen(FastCgiServerOptions options, string address, Action<FastCgiListenOptions> configure)
    {
        string rest = WithoutScheme(address);
        if (rest.StartsWith(UnixPrefix, StringComparison.OrdinalIgnoreCase))
        {
            options.ListenUnixSocket(SocketPath(address, rest[UnixPrefix.Length..]), configure);
        }
        else if (rest.StartsWith('/') && !address.Contains("://", StringComparison.Ordinal))
        {
            options.ListenUnixSocket(rest, configure);
        }
        else if (rest.StartsWith(DescriptorPrefix, StringComparison.OrdinalIgnoreCase))
        {
            options.ListenHandle(Descriptor(address, rest[DescriptorPrefix.Length..]), configure);
        }
        else
        {
            ListenTcp(options, address, rest, configure);
        }
    }

    /// <summary>The published form, which BindingAddress.Parse understands.</summary>
    public static string Format(EndPoint endPoint) => endPoint switch
    {
        UnixDomainSocketEndPoint unix => Scheme + UnixPrefix + unix,
        _ => Scheme + endPoint,
    };

    private static string WithoutScheme(string address)
    {
        foreach (string scheme in (ReadOnlySpan<string>)[Scheme, "fcgi://", "tcp://"])
        {
            if (address.StartsWith(scheme, StringComparison.OrdinalIgnoreCase))
            {
                return address[scheme.Length..];
            }
        }

        return address.Contains("://", StringComparison.Ordinal)
            ? throw Invalid(address, "its scheme is not fastcgi")
            : address;
    }

    private static string SocketPath(string address, string path)
    {
        // unix:/p (nginx), unix://p is somebody's slip, unix:@name is an abstract socket.
        path = path.TrimEnd(';');
        if (path.StartsWith('@'))
        {
            return '\0' + path[1..];
        }

        while (path.StartsWith("//", StringComparison.Ordinal))
        {
            path = path[1..];
        }

        return path.StartsWith('/') ? path : throw Invalid(address, "the path of a unix socket must be absolute");
    }

    private static ulong Descriptor(string address, string text) =>
        ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong descriptor)
            ? descriptor
            : throw Invalid(address, "a descriptor is a number");

    private static void ListenTcp(
        FastCgiServerOptions options, string address, string rest, Action<FastCgiListenOptions> configure)
    {
        int slash = rest.IndexOf('/', StringComparison.Ordinal);
        if (slash >= 0)
        {
            if (slash < rest.Length - 1)
            {
                throw Invalid(address, "a path base is not part of it: use UsePathBase, or FastCgiServerOptions.PathBase");
            }

            rest = rest[..slash];
        }

        (string host, int port) = Split(address, rest);
        if (host is "*" or "+")
        {
            options.ListenAnyIP(port, configure);
        }
        else if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
        {
            options.ListenLocalhost(port, configure);
        }
        else if (TryParseIP(host, out IPAddress? ip))
        {
            options.Listen(ip, port, configure);
        }
        else
        {
            throw Invalid(address, $"'{host}' is neither an IP address nor 'localhost' nor '*'");
        }
    }

    private static (string Host, int Port) Split(string address, string text)
    {
        int colon = text.LastIndexOf(':');
        if (colon < 0 || text.EndsWith(']'))
        {
            return text.Length > 0 ? (text, DefaultPort) : throw Invalid(address, "it names no host");
        }

        return int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int port)
            && port <= IPEndPoint.MaxPort
            ? (colon == 0 ? "127.0.0.1" : text[..colon], port)
            : throw Invalid(address, "the port is not a number from 0 to 65535");
    }

    private static bool TryParseIP(string host, [NotNullWhen(true)] out IPAddress? ip)
    {
        ip = null;
        bool bracketed = host.StartsWith('[') && host.EndsWith(']');
        return (bracketed || !host.Contains(':', StringComparison.Ordinal))
            && IPAddress.TryParse(bracketed ? host[1..^1] : host, out ip);
    }

    private static FormatException Invalid(string address, string reason) => new(
        $"The address '{address}' cannot be listened on: {reason}. Use fastcgi://127.0.0.1:9000 or fastcgi://unix:/run/app.sock.");
}
