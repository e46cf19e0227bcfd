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

/// <summary>
/// Buffers of 64 KiB, which bodies go through. They are pinned objects, so they survive no collection of the youngest
/// generation: arrays that do would make the collector let it grow beyond what the whole server needs.
/// </summary>
/// <remarks>
/// Each processor has a stack of its own, because a buffer that another one filled is not in its cache. A processor
/// without buffers takes those of the others before it makes one.
/// </remarks>
internal sealed class LargeBuffers
{
    public const int Size = 64 * 1024;

    /// <summary>Calls of <see cref="Trim"/> between two looks at what is left over.</summary>
    public const int TrimPeriod = 4;

    private readonly SpareStack<byte[]>[] _stacks = new SpareStack<byte[]>[Environment.ProcessorCount];

    private int _trims;

    public LargeBuffers()
    {
        for (int i = 0; i < _stacks.Length; i++)
        {
            _stacks[i] = new SpareStack<byte[]>();
        }
    }

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

    /// <summary>Called about once a second. Drops the buffers that were not needed since the last look.</summary>
    public void Trim()
    {
        if (Interlocked.Increment(ref _trims) % TrimPeriod == 0)
        {
            Array.ForEach(_stacks, static stack => stack.Trim());
        }
    }
}
