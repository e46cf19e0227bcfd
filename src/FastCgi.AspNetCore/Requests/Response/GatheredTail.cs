using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// The record headers around bytes that are sent from where they are, and the small record behind the largest one: a
/// write of 64 KiB is a little more than one record holds.
/// </summary>
internal static class GatheredTail
{
    /// <summary>
    /// Below, one copy costs less than a send of its own: head, body and the end of the response share one.
    /// </summary>
    public const int SmallestBody = 32 * 1024;

    public const int MaxSize = FastCgiConstants.HeaderSize + MaxContent;

    private const int MaxContent = 128;

    /// <summary>The record that takes the rest of a write along; empty where nothing is left, or too much.</summary>
    public static Span<byte> Write(Span<byte> destination, ReadOnlySpan<byte> rest, bool hasHeader, ushort requestId)
    {
        if (rest.IsEmpty || rest.Length > MaxContent)
        {
            return [];
        }

        int header = WriteHeader(destination, rest.Length, hasHeader, requestId);
        rest.CopyTo(destination[header..]);
        return destination[..(header + rest.Length)];
    }

    /// <summary>The size of the header, which is 0 where there are no records.</summary>
    public static int WriteHeader(Span<byte> destination, int content, bool hasHeader, ushort requestId)
    {
        if (!hasHeader)
        {
            return 0;
        }

        RecordWriter.WriteHeader(destination, RecordType.Stdout, requestId, content);
        return FastCgiConstants.HeaderSize;
    }
}
