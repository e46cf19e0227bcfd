using System.Buffers;

namespace FastCgi.AspNetCore.Server;

/// <summary>Where the server's buffers come from, so that a test can count that each came home.</summary>
internal class BufferPool
{
    public static BufferPool Shared { get; } = new();

    public virtual byte[] Rent(int minimumLength) => ArrayPool<byte>.Shared.Rent(minimumLength);

    public virtual void Return(byte[] buffer) => ArrayPool<byte>.Shared.Return(buffer);

    /// <summary>Leaves a rented buffer to the collector: an application may still look at it.</summary>
    public virtual void Abandon(byte[] buffer)
    {
    }
}
