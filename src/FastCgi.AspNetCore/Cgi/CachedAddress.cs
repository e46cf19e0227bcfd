using System.Buffers;
using System.Net;
using System.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>An address out of a param; the object stays while the same text comes again.</summary>
internal sealed class CachedAddress
{
    // "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", and room for a zone.
    private const int MaxLength = 64;

    private static readonly SearchValues<byte> _version4Characters = SearchValues.Create("0123456789."u8);

    private readonly byte[] _text = new byte[MaxLength];
    private int _length;
    private IPAddress? _address;

    /// <summary>The address; null for what is none, such as the <c>unix:</c> of nginx, or no text at all.</summary>
    public IPAddress? Parse(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty || text.Length > MaxLength)
        {
            return null;
        }

        if (!text.SequenceEqual(_text.AsSpan(0, _length)))
        {
            text.CopyTo(_text);
            _length = text.Length;
            _address = ParseText(text);
        }

        return _address;
    }

    /// <summary>A port; 0 for what is none.</summary>
    public static int ParsePort(ReadOnlySpan<byte> text)
    {
        var port = 0;
        foreach (var digit in text)
        {
            if (!char.IsAsciiDigit((char)digit))
            {
                return 0;
            }

            port = (port * 10) + digit - '0';
            if (port > IPEndPoint.MaxPort)
            {
                return 0;
            }
        }

        return port;
    }

    private static IPAddress? ParseText(ReadOnlySpan<byte> text)
    {
        // IPAddress also takes "1" and "0x7f.1" for addresses, and "[::1]:80"; no web server writes any of them.
        var isVersion6 = text.Contains((byte)':');
        if (text.Contains((byte)'[') || (!isVersion6 && (text.Count((byte)'.') != 3
            || text.ContainsAnyExcept(_version4Characters))))
        {
            return null;
        }

        return IPAddress.TryParse(Encoding.UTF8.GetString(text), out var address) ? address : null;
    }
}
