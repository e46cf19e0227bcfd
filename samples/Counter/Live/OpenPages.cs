namespace CounterSample.Live;

/// <summary>How many live pages are open in browsers: each has a connection of its own.</summary>
public sealed class OpenPages
{
    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <returns>How many there are now.</returns>
    public int Opened() => Interlocked.Increment(ref _count);

    /// <inheritdoc cref="Opened"/>
    public int Closed() => Interlocked.Decrement(ref _count);
}
