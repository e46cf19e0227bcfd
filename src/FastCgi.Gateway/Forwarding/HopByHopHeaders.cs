using Microsoft.Extensions.Primitives;

namespace FastCgi.Gateway.Forwarding;

/// <summary>
/// Hop-by-hop headers, which a gateway does not pass on (RFC 9110, section 7.6.1): a fixed set, and those that the
/// Connection header names.
/// </summary>
internal static class HopByHopHeaders
{
    /// <summary>The fixed set, for both directions.</summary>
    public static bool Contains(string name) => name.Length switch
    {
        2 => Is(name, "TE"),
        7 => Is(name, "Trailer") || Is(name, "Upgrade"),
        10 => Is(name, "Connection") || Is(name, "Keep-Alive"),
        14 => Is(name, "HTTP2-Settings"),
        16 => Is(name, "Proxy-Connection"),
        17 => Is(name, "Transfer-Encoding"),
        18 => Is(name, "Proxy-Authenticate"),
        19 => Is(name, "Proxy-Authorization"),
        25 => Is(name, "Proxy-Authentication-Info"),
        _ => false,
    };

    /// <summary>
    /// The names in Connection that are not in the fixed set; null if there are none. Host is for every recipient, so
    /// Connection cannot name it (RFC 9110, section 7.6.1).
    /// </summary>
    public static HashSet<string>? Nominated(StringValues connection)
    {
        HashSet<string>? names = null;
        foreach (string? line in connection)
        {
            foreach (Range range in line.AsSpan().Split(','))
            {
                ReadOnlySpan<char> name = line.AsSpan(range).Trim(" \t");
                if (!name.IsEmpty && !name.Equals("close", StringComparison.OrdinalIgnoreCase)
                    && !name.Equals("Host", StringComparison.OrdinalIgnoreCase) && !Contains(name.ToString()))
                {
                    (names ??= new(StringComparer.OrdinalIgnoreCase)).Add(name.ToString());
                }
            }
        }

        return names;
    }

    private static bool Is(string name, string other) => name.Equals(other, StringComparison.OrdinalIgnoreCase);
}
