using System.Net.Sockets;
using FastCgi.Client;

namespace FastCgi.Testing.Connections;

/// <summary>A connection whose writes leave in pieces of a size.</summary>
internal sealed class SplitStream : ForwardOnlyStream
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

    public override bool CanWrite => true;

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

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _inner.ReadAsync(buffer, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
