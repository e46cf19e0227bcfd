using System.Buffers;

namespace FastCgi.AspNetCore.Server;

/// <summary>Where the server's buffers come from, so that a test can count that each came home.</summary>
internal class BufferPool
{
    /// <summary>
    /// Larger ones are left to the collector: the shared pool keeps one of each size for each thread, for minutes.
    /// </summary>
    private const int LargestKept = 1024 * 1024;

    private static readonly LargeBuffers s_large = new();

    public static BufferPool Shared { get; } = new();

    public virtual byte[] Rent(int minimumLength) => minimumLength is > LargeBuffers.Size / 2 and <= LargeBuffers.Size
        ? s_large.Rent()
        : ArrayPool<byte>.Shared.Rent(minimumLength);

    public virtual void Return(byte[] buffer)
    {
        if (buffer.Length == LargeBuffers.Size)
        {
            s_large.Return(buffer);
        }
        else if (buffer.Length <= LargestKept)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>Leaves a rented buffer to the collector: an application may still look at it.</summary>
    public virtual void Abandon(byte[] buffer)
    {
    }

    /// <summary>Called about once a second by each server of the process.</summary>
    public virtual void Trim() => s_large.Trim();
}
