namespace FastCgi.AspNetCore.Files;

/// <summary>A part of a file to be sent, at most as long as the content of one record.</summary>
internal readonly record struct FilePart(SafeFileHandle File, long Offset, int Count)
{
    /// <summary>
    /// Fills <paramref name="buffer"/>, beginning <paramref name="skipped"/> bytes after the start of the part. False
    /// if the file is shorter; then zeros fill the rest.
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
