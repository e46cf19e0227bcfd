namespace FastCgi.Client.Tests.Harness;

/// <summary>A connection on which the test makes each read. By itself it takes every write, and no read ends.</summary>
internal sealed class PeerStream : MemoryStream
{
    public Func<Memory<byte>, CancellationToken, ValueTask<int>> OnRead { get; init; } = NeverAsync;

    public Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask> OnWrite { get; init; } = static (_, _) => default;

    public Action? OnDispose { get; init; }

    public bool IsDisposed { get; private set; }

    public override bool CanSeek => false;

    /// <summary>A read that ends by its token alone.</summary>
    public static async ValueTask<int> NeverAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        await Task.Delay(Timeout.Infinite, cancellationToken);
        return 0;
    }

    /// <summary>Reads that give these bytes, and then what <paramref name="next"/> gives.</summary>
    public static Func<Memory<byte>, CancellationToken, ValueTask<int>> Giving(
        byte[] bytes, Func<Memory<byte>, CancellationToken, ValueTask<int>>? next = null)
    {
        ReadOnlyMemory<byte> left = bytes;
        return (buffer, cancellationToken) =>
        {
            if (left.IsEmpty)
            {
                return (next ?? NeverAsync)(buffer, cancellationToken);
            }

            int count = Math.Min(buffer.Length, left.Length);
            left[..count].CopyTo(buffer);
            left = left[count..];
            return new(count);
        };
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        OnRead(buffer, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        OnWrite(buffer, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        IsDisposed = true;
        OnDispose?.Invoke();
        base.Dispose(disposing);
    }
}
