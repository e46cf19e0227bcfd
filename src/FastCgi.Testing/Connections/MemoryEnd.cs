namespace FastCgi.Testing.Connections;

/// <summary>A connection in memory, whose flush waits for the server.</summary>
internal sealed class MemoryEnd(Stream stream) : IConnectionEnd
{
    public Stream Stream { get; } = stream;

    public async ValueTask WaitUntilReceivedAsync(CancellationToken cancellationToken) =>
        await Stream.FlushAsync(cancellationToken).ConfigureAwait(false);

    public void Reset() => Stream.Dispose();
}
