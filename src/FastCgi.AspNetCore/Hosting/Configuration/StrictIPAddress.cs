using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// Addresses as everybody reads them. IPAddress takes "9000" for 0.0.35.40, "010.0.0.1" for 8.0.0.1 and "[::1]:80" for
/// an address; who writes these means something else.
/// </summary>
internal static class StrictIPAddress
{
    public static bool TryParse(ReadOnlySpan<char> text, [NotNullWhen(true)] out IPAddress? address)
    {
        address = null;
        return !text.ContainsAny('[', ']')
            && IPAddress.TryParse(text, out address)
            && (address.AddressFamily == AddressFamily.InterNetworkV6 || text.SequenceEqual(address.ToString()));
    }
}
