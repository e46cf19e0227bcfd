using FastCgi.Client;

namespace FastCgi.Testing.Connections;

/// <summary>A connection whose writes are sent in pieces of a fixed size.</summary>
internal sealed class SplitStream : ForwardOnlyStream
{
    private readonly IConnectionEnd _end;
    private readonly int _size;

    private SplitStream(IConnectionEnd end, int size) =>
        (_end, _size) = (end, size);

    public override bool CanRead => true;

    public override bool CanWrite => true;

    /// <summary>The stream of a connection, which it owns. Without a size, one write is one piece.</summary>
    public static Stream Over(IConnectionEnd end, int? size) =>
        size is { } most ? new SplitStream(end, most) : end.Stream;

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            int length = Math.Min(buffer.Length, _size);
            await _end.Stream.WriteAsync(buffer[..length], cancellationToken).ConfigureAwait(false);
            buffer = buffer[length..];
            if (!buffer.IsEmpty)
            {
                await _end.WaitUntilReceivedAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _end.Stream.ReadAsync(buffer, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _end.Stream.Dispose();
        }

        base.Dispose(disposing);
    }
}
