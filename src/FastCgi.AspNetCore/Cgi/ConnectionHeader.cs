using System.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The value of the header Connection: options with commas between them (RFC 9110, section 7.6.1).</summary>
internal static class ConnectionHeader
{
    /// <summary>Whether <c>upgrade</c>, in any case, is one of them, on any line.</summary>
    public static bool HasUpgrade(CgiParams @params)
    {
        for (var i = 0; i < @params.Count; i++)
        {
            if (@params.EntryAt(i).Known == KnownParam.HttpConnection && HasUpgrade(@params.ValueAt(i)))
            {
                return true;
            }
        }

        return false;
    }

    private static bool HasUpgrade(ReadOnlySpan<byte> value)
    {
        foreach (Range range in value.Split((byte)','))
        {
            if (Ascii.EqualsIgnoreCase(value[range].Trim(" \t"u8), "upgrade"u8))
            {
                return true;
            }
        }

        return false;
    }
}
