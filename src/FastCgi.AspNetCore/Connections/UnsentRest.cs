using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Copies the bytes that the socket had no room for into buffers: the memory and the file that it lies in are the
/// application's.
/// </summary>
internal static class UnsentRest
{
    /// <summary>Copies what is left of three pieces of which the first bytes were sent.</summary>
    public static void Copy(
        Span<byte> rest, ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail, int sent)
    {
        rest = rest[Copy(rest, head, sent)..];
        rest = rest[Copy(rest, body, sent - head.Length)..];
        Copy(rest, tail, sent - head.Length - body.Length);
    }

    /// <summary>
    /// Reads what is left: a record that was begun has to be ended. False: the file has become shorter, and zeros take
    /// the place of what is missing.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read; zeros stand for it here too.</exception>
    public static bool TryRead(Span<byte> rest, ReadOnlySpan<byte> head, FilePart content, int sent)
    {
        Span<byte> restOfFile = rest[Copy(rest, head, sent)..];
        try
        {
            return content.TryRead(restOfFile, Math.Max(sent - head.Length, 0));
        }
        catch
        {
            // The record is ended all the same, and not by what another response left in the buffer.
            restOfFile.Clear();
            throw;
        }
    }

    /// <returns>How much of it was left.</returns>
    private static int Copy(Span<byte> rest, ReadOnlySpan<byte> piece, int sent)
    {
        ReadOnlySpan<byte> left = piece[Math.Clamp(sent, 0, piece.Length)..];
        left.CopyTo(rest);
        return left.Length;
    }
}
