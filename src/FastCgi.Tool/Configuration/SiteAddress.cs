using System.Net;
using System.Net.Sockets;

namespace FastCgi.Tool.Configuration;

/// <summary>The address of a site: a port, or an address or name with a port.</summary>
internal static class SiteAddress
{
    private const string Everywhere = "*";

    /// <returns>A port without an address for all addresses; null without a text.</returns>
    /// <exception cref="ToolException">No web server can listen there.</exception>
    public static string? Read(string? text)
    {
        if (text is null)
        {
            return null;
        }

        int colon = text.LastIndexOf(':');
        string host = colon < 0 ? Everywhere : text[..colon];
        string port = text[(colon + 1)..];
        return !IsPort(port) || !IsHost(host)
            ? throw ToolException.Usage(
                $"--listen '{text}' is no port from 1 to 65535, and no address with one. Write it like 8080, " +
                "127.0.0.1:8080 or [::1]:8080.")
            : host == Everywhere ? port : text;
    }

    private static bool IsPort(string text) =>
        ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port) && port > 0;

    private static bool IsHost(string text) => text switch
    {
        Everywhere => true,
        ['[', .., ']'] => IPAddress.TryParse(text.AsSpan(1, text.Length - 2), out IPAddress? address)
            && address.AddressFamily == AddressFamily.InterNetworkV6,
        "" => false,
        _ => text.All(static letter => char.IsAsciiLetterOrDigit(letter) || letter is '.' or '-'),
    };
}
