namespace FastCgi.Client.Php;

/// <summary>Makes a decoded path safe to append to a document root.</summary>
internal static class ScriptPath
{
    /// <summary>
    /// Resolves <c>.</c> and <c>..</c> and merges slashes, as web servers do before they look for a file. False if the
    /// path leaves the root, does not begin with a slash, or contains a NUL.
    /// </summary>
    public static bool TryNormalize(ReadOnlySpan<byte> path, out byte[] normalized)
    {
        normalized = [];
        if (path is not [(byte)'/', ..] || path.Contains((byte)0))
        {
            return false;
        }

        byte[] result = new byte[path.Length + 1];
        int length = 0;
        int start = 0;
        while (start < path.Length)
        {
            int slash = path[(start + 1)..].IndexOf((byte)'/');
            int end = slash < 0 ? path.Length : start + 1 + slash;
            ReadOnlySpan<byte> segment = path[(start + 1)..end];
            if (segment.SequenceEqual(".."u8))
            {
                if (length == 0)
                {
                    return false;
                }

                length = result.AsSpan(0, length).LastIndexOf((byte)'/');
            }
            else if (!segment.IsEmpty && !segment.SequenceEqual("."u8))
            {
                result[length++] = (byte)'/';
                segment.CopyTo(result.AsSpan(length));
                length += segment.Length;
            }

            start = end;
        }

        // The path of a directory keeps the slash at its end.
        if (length == 0 || path[^1] == '/' || path.EndsWith("/."u8) || path.EndsWith("/.."u8))
        {
            result[length++] = (byte)'/';
        }

        normalized = result[..length];
        return true;
    }
}
