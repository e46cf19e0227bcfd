using System.Buffers;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>Decodes a path as Kestrel does, so that an application sees the same one on either server.</summary>
internal static class PathDecoder
{
    /// <summary>Decodes once, in place, and removes dot segments. <c>%2F</c> and invalid UTF-8 stay escaped.</summary>
    /// <returns>The new length, or -1 if the path contains an encoded NUL.</returns>
    public static int DecodeInPlace(Span<byte> path)
    {
        var length = path.Length;
        var percent = path.IndexOf((byte)'%');
        if (percent >= 0)
        {
            length = Unescape(path, percent);
            if (length < 0)
            {
                return -1;
            }
        }

        return RemoveDotSegments(path[..length]);
    }

    /// <summary>Removes dot segments in place (RFC 3986, section 5.2.4); the new length. Empty segments stay.</summary>
    /// <param name="path">Begins with a slash.</param>
    public static int RemoveDotSegments(Span<byte> path)
    {
        var start = path.IndexOf("/."u8);
        if (start < 0)
        {
            return path.Length;
        }

        // The part before it consists of whole segments and stays.
        var written = start;
        var read = start;
        while (read < path.Length)
        {
            var rest = path[(read + 1)..];
            var slash = rest.IndexOf((byte)'/');
            var segment = slash < 0 ? rest : rest[..slash];
            var isLast = slash < 0;
            if (segment.SequenceEqual("."u8) || segment.SequenceEqual(".."u8))
            {
                if (segment.Length == 2)
                {
                    written = Math.Max(path[..written].LastIndexOf((byte)'/'), 0);
                }

                // A path that ends with a dot segment is a directory, and keeps its slash.
                if (isLast)
                {
                    path[written++] = (byte)'/';
                }
            }
            else
            {
                path.Slice(read, segment.Length + 1).CopyTo(path[written..]);
                written += segment.Length + 1;
            }

            read += segment.Length + 1;
        }

        if (written == 0)
        {
            path[written++] = (byte)'/';
        }

        return written;
    }

    private static int Unescape(Span<byte> path, int firstPercent)
    {
        Span<byte> character = stackalloc byte[4];
        var read = firstPercent;
        var written = firstPercent;
        while (read < path.Length)
        {
            if (!TryReadEscape(path[read..], out var lead) || lead == (byte)'/')
            {
                path[written++] = path[read++];
                continue;
            }

            if (lead == 0)
            {
                return -1;
            }

            // An escaped character consists of one to four consecutive escapes. Others are passed through.
            character[0] = lead;
            var length = 1;
            while (length < 4 && TryReadEscape(path[(read + (3 * length))..], out var next)
                && next != (byte)'/')
            {
                character[length++] = next;
            }

            if (Rune.DecodeFromUtf8(character[..length], out _, out var consumed) != OperationStatus.Done)
            {
                path.Slice(read, 3).CopyTo(path[written..]);
                read += 3;
                written += 3;
                continue;
            }

            character[..consumed].CopyTo(path[written..]);
            read += 3 * consumed;
            written += consumed;
        }

        return written;
    }

    /// <summary>Reads the escape at the beginning of the text. False if there is none.</summary>
    public static bool TryReadEscape(ReadOnlySpan<byte> text, out byte value)
    {
        value = 0;
        if (text.Length < 3 || text[0] != '%'
            || !char.IsAsciiHexDigit((char)text[1]) || !char.IsAsciiHexDigit((char)text[2]))
        {
            return false;
        }

        value = (byte)((HexValue(text[1]) << 4) | HexValue(text[2]));
        return true;
    }

    private static int HexValue(byte digit) => digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}
