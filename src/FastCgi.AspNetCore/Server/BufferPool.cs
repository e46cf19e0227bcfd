using System.Buffers;

namespace FastCgi.AspNetCore.Server;

/// <summary>The source of all buffers of the server, so that a test can check that each one is returned.</summary>
internal class BufferPool
{
    /// <summary>Larger, rare ones are not pooled: the shared pool would keep one of each size for minutes.</summary>
    private const int LargestKept = 1024 * 1024;

    private static readonly LargeBuffers s_large = new();

    public static BufferPool Shared { get; } = new();

    public virtual byte[] Rent(int minimumLength) => minimumLength switch
    {
        <= LargeBuffers.Size / 2 => ArrayPool<byte>.Shared.Rent(minimumLength),
        <= LargeBuffers.Size => s_large.Rent(),
        <= LargestKept => ArrayPool<byte>.Shared.Rent(minimumLength),
        _ => GC.AllocateUninitializedArray<byte>(minimumLength),
    };

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

    /// <summary>Leaves a rented buffer to the garbage collector, because an application may still use it.</summary>
    public virtual void Abandon(byte[] buffer)
    {
    }

    /// <summary>Called about once a second by each server of the process.</summary>
    public virtual void Trim() => s_large.Trim();
}

/// <summary>
/// Buffers of 64 KiB, mostly for bodies. They are pinned objects, so the youngest generation never holds them. Arrays
/// that survive its collections would make it grow beyond what the whole server needs.
/// </summary>
/// <remarks>
/// Each processor has its own stack, because a buffer that another processor filled is not in its cache. A processor
/// without buffers takes those of the others before it creates one.
/// </remarks>
internal sealed class LargeBuffers
{
    public const int Size = 64 * 1024;

    /// <summary>Calls of <see cref="Trim"/> until unused objects are dropped.</summary>
    public const int TrimPeriod = 4;

    private readonly SpareStack<byte[]>[] _stacks =
        [.. Enumerable.Range(0, Environment.ProcessorCount).Select(static _ => new SpareStack<byte[]>())];

    public int Free => _stacks.Sum(static stack => stack.Count);

    private int Own => Thread.GetCurrentProcessorId() % _stacks.Length;

    public byte[] Rent()
    {
        int own = Own;
        for (int i = 0; i < _stacks.Length; i++)
        {
            if (_stacks[(own + i) % _stacks.Length].TryPop() is { } buffer)
            {
                return buffer;
            }
        }

        return GC.AllocateUninitializedArray<byte>(Size, pinned: true);
    }

    public void Return(byte[] buffer) => _stacks[Own].Push(buffer);

    public void Trim() => Array.ForEach(_stacks, static stack => stack.Trim());
}
