using System.Net.Sockets;

namespace FastCgi.Testing.Connections;

/// <summary>A connection whose writes leave in pieces of a size.</summary>
internal sealed class SplitStream : Stream
{
    private readonly Socket _socket;
    private readonly NetworkStream _inner;
    private readonly int _size;

    private SplitStream(Socket socket, int size)
    {
        _socket = socket;
        _inner = new NetworkStream(socket, ownsSocket: true);
        _size = size;
    }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>The connection over a socket, which it owns. No size: one write is one piece.</summary>
    public static Stream Over(Socket socket, int? size) =>
        size is { } most ? new SplitStream(socket, most) : new NetworkStream(socket, ownsSocket: true);

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            int length = Math.Min(buffer.Length, _size);
            await _inner.WriteAsync(buffer[..length], cancellationToken).ConfigureAwait(false);
            buffer = buffer[length..];
            if (!buffer.IsEmpty)
            {
                await SocketQueue.WaitUntilReceivedAsync(_socket, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Write(byte[] buffer, int offset, int count) =>
        WriteAsync(buffer.AsMemory(offset, count)).AsTask().GetAwaiter().GetResult();

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _inner.ReadAsync(buffer, cancellationToken);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        _inner.ReadAsync(buffer, offset, count, cancellationToken);

    public override int Read(byte[] buffer, int offset, int count) => _inner.Read(buffer, offset, count);

    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
