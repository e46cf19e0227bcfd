using System.Net.Sockets;

namespace FastCgi.Testing.Connections;

/// <summary>The bytes of one connection, in both directions, and the time that a call may take.</summary>
internal sealed class TestWire(Socket socket, int? writeSize) : IDisposable
{
    private const int ReceiveSize = 4096;

    private readonly Stream _stream = SplitStream.Over(socket, writeSize);
    private readonly byte[] _received = new byte[ReceiveSize];

    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) =>
        _stream.WriteAsync(bytes, cancellationToken);

    /// <summary>What one receive gives; empty at the end of the connection, in order or by a reset.</summary>
    public async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(CancellationToken cancellationToken)
    {
        try
        {
            int count = await _stream.ReadAsync(_received, cancellationToken).ConfigureAwait(false);
            return _received.AsMemory(0, count);
        }
        catch (IOException)
        {
            return default;
        }
    }

    /// <summary>A reset over TCP, an end of the stream over a unix socket, which knows no other.</summary>
    public void Reset()
    {
        if (socket.AddressFamily != AddressFamily.Unix)
        {
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }

        Dispose();
    }

    public void Dispose() => _stream.Dispose();
}
