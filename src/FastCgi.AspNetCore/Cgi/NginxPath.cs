namespace FastCgi.AspNetCore.Cgi;

/// <summary>Normalises a path as nginx does for <c>$document_uri</c>, before it chooses a location.</summary>
internal static class NginxPath
{
    private enum State
    {
        Segment,
        Slash,
        Dot,
        DotDot,
    }

    /// <summary>Decodes once, slashes too, removes dot segments, and merges slashes (<c>merge_slashes</c>).</summary>
    /// <param name="path">The path without a query. Begins with a slash.</param>
    /// <param name="destination">At least as long as the path.</param>
    /// <param name="mergeSlashes">True is nginx's default.</param>
    /// <param name="keepEscapedSlashes">Keeps <c>%2F</c> as it is, as Apache can be configured to.</param>
    /// <returns>The length, or -1 for a path that nginx refuses.</returns>
    public static int Normalise(
        ReadOnlySpan<byte> path, Span<byte> destination, bool mergeSlashes, bool keepEscapedSlashes = false)
    {
        var state = State.Segment;
        var written = 0;
        for (var read = 0; read < path.Length;)
        {
            var start = read;
            if (!TryRead(path, ref read, out var value, out var isLiteral))
            {
                return -1;
            }

            if (keepEscapedSlashes && value == (byte)'/' && read - start > 1)
            {
                path[start..read].CopyTo(destination[written..]);
                written += read - start;
                state = State.Segment;
                continue;
            }

            if (value != (byte)'/' || isLiteral)
            {
                state = isLiteral || value != (byte)'.' ? State.Segment : AfterDot(state);
                destination[written++] = value;
                continue;
            }

            if (!TryEndSegment(destination, ref written, state))
            {
                return -1;
            }

            // The slash before a removed dot segment stays.
            if (state == State.Segment || (state == State.Slash && !mergeSlashes))
            {
                destination[written++] = (byte)'/';
            }

            state = State.Slash;
        }

        return TryEndSegment(destination, ref written, state) ? written : -1;
    }

    /// <summary>Decodes once and changes nothing else. A <c>%</c> that begins no escape stays.</summary>
    /// <param name="text">A path or a query.</param>
    /// <param name="destination">At least as long as the text.</param>
    /// <returns>The length.</returns>
    public static int Decode(ReadOnlySpan<byte> text, Span<byte> destination)
    {
        var written = 0;
        for (var read = 0; read < text.Length;)
        {
            destination[written++] = ReadDecoded(text, ref read);
        }

        return written;
    }

    /// <summary>True if both texts are equal after decoding.</summary>
    public static bool DecodeAlike(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        int readOne = 0, readOther = 0;
        while (readOne < one.Length && readOther < other.Length)
        {
            if (ReadDecoded(one, ref readOne) != ReadDecoded(other, ref readOther))
            {
                return false;
            }
        }

        return readOne == one.Length && readOther == other.Length;
    }

    /// <summary>True without dot segments, <c>#</c>, and escapes of letters, digits, <c>-._~</c> and slashes.</summary>
    /// <remarks>For some web servers the path ends at a <c>#</c>, but not for h2o.</remarks>
    public static bool HasOneSpelling(ReadOnlySpan<byte> path)
    {
        for (var read = 0; read < path.Length;)
        {
            var isEscape = path[read] == (byte)'%';
            if (!TryRead(path, ref read, out var value, out _)
                || (isEscape && (char.IsAsciiLetterOrDigit((char)value) || "-._~/"u8.Contains(value))))
            {
                return false;
            }
        }

        return path.IndexOf((byte)'#') < 0 && path.IndexOf("/./"u8) < 0 && path.IndexOf("/../"u8) < 0
            && path is not [.., (byte)'/', (byte)'.'] and not [.., (byte)'/', (byte)'.', (byte)'.'];
    }

    private static State AfterDot(State state) => state switch
    {
        State.Slash => State.Dot,
        State.Dot => State.DotDot,
        _ => State.Segment,
    };

    /// <summary>Removes a dot segment that ends here. False if it leads above the root.</summary>
    private static bool TryEndSegment(Span<byte> destination, ref int written, State state)
    {
        if (state == State.Dot)
        {
            written--;
        }
        else if (state == State.DotDot)
        {
            const int Removed = 3;
            var parent = written <= Removed ? -1 : destination[..(written - Removed)].LastIndexOf((byte)'/');
            written = parent + 1;
            return parent >= 0;
        }

        return true;
    }

    /// <summary>Reads a byte. An escaped <c>%</c>, <c>#</c> or <c>?</c> is literal; others are as unescaped.</summary>
    private static bool TryRead(ReadOnlySpan<byte> path, ref int read, out byte value, out bool isLiteral)
    {
        isLiteral = false;
        if (path[read] != (byte)'%')
        {
            value = path[read++];
            return true;
        }

        if (!PathDecoder.TryReadEscape(path[read..], out value))
        {
            return false;
        }

        read += 3;
        isLiteral = value is (byte)'%' or (byte)'#' or (byte)'?';
        return value != 0;
    }

    private static byte ReadDecoded(ReadOnlySpan<byte> text, ref int read)
    {
        if (PathDecoder.TryReadEscape(text[read..], out var value))
        {
            read += 3;
            return value;
        }

        return text[read++];
    }
}
