using System.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>nginx and its relatives, which say another name in SERVER_SOFTWARE and send the same params.</summary>
internal static class NginxFamily
{
    private static readonly byte[][] _relatives =
        [[.. "angie"u8], [.. "freenginx"u8], [.. "njet"u8], [.. "openresty"u8], [.. "tengine"u8]];

    /// <summary>Whether SERVER_SOFTWARE names one of them, in any case, with a version or without.</summary>
    public static bool Includes(ReadOnlySpan<byte> software)
    {
        if (BeginsWith(software, "nginx"u8))
        {
            return true;
        }

        foreach (var name in _relatives)
        {
            if (BeginsWith(software, name))
            {
                return true;
            }
        }

        return false;
    }

    private static bool BeginsWith(ReadOnlySpan<byte> software, ReadOnlySpan<byte> name) =>
        software.Length >= name.Length && Ascii.EqualsIgnoreCase(software[..name.Length], name)
        && (software.Length == name.Length || !char.IsAsciiLetterOrDigit((char)software[name.Length]));
}
