namespace FastCgi.AspNetCore.Files;

/// <summary>Bytes of a file that are to be sent; no more than one record carries.</summary>
internal readonly record struct FilePart(SafeFileHandle File, long Offset, int Count)
{
    /// <summary>
    /// Fills <paramref name="buffer"/> from <paramref name="skipped"/> bytes behind the beginning. False: the file is
    /// shorter, and zeros fill the buffer up.
    /// </summary>
    public bool TryRead(Span<byte> buffer, int skipped)
    {
        long from = Offset + skipped;
        while (!buffer.IsEmpty)
        {
            int read = RandomAccess.Read(File, buffer, from);
            if (read == 0)
            {
                buffer.Clear();
                return false;
            }

            buffer = buffer[read..];
            from += read;
        }

        return true;
    }
}
