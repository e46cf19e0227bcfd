namespace FastCgi.Testing.Connections;

/// <summary>A connection in memory. Its writes end when the server has received their bytes.</summary>
internal sealed class MemoryEnd(Stream stream) : IConnectionEnd
{
    public Stream Stream { get; } = stream;

    public ValueTask WaitUntilReceivedAsync(CancellationToken cancellationToken) => ValueTask.CompletedTask;

    public void Reset() => Stream.Dispose();
}
