namespace FastCgi.AspNetCore.Cgi;

/// <summary>Removes the segments <c>.</c> and <c>..</c> from a path (RFC 3986, section 5.2.4).</summary>
internal static class DotSegments
{
    /// <summary>Removes them in place, and returns the new length. Empty segments stay.</summary>
    /// <param name="path">Begins with a slash.</param>
    public static int Remove(Span<byte> path)
    {
        var start = path.IndexOf("/."u8);
        if (start < 0)
        {
            return path.Length;
        }

        // Everything before is whole segments, and stays where it is.
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

                // A path that ends in a dot segment names a directory, and keeps its slash.
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
}
