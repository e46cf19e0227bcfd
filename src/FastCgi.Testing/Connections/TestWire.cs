namespace FastCgi.Testing.Connections;

/// <summary>The bytes of one connection in both directions, and the time limit of a call.</summary>
internal sealed class TestWire(IConnectionEnd end, int? writeSize) : IDisposable
{
    private const int ReceiveSize = 4096;

    private readonly Stream _stream = SplitStream.Over(end, writeSize);
    private readonly byte[] _received = new byte[ReceiveSize];

    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) =>
        _stream.WriteAsync(bytes, cancellationToken);

    /// <summary>The bytes of one receive; empty at the end of the connection, even by a reset.</summary>
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

    /// <inheritdoc cref="IConnectionEnd.Reset"/>
    public void Reset() => end.Reset();

    public void Dispose() => _stream.Dispose();
}
