namespace CounterSample.Live;

/// <summary>How many live pages are open in browsers: each has a connection of its own.</summary>
public sealed class OpenPages
{
    private int _count;

    public int Count => Volatile.Read(ref _count);

    public void Opened() => Interlocked.Increment(ref _count);

    public void Closed() => Interlocked.Decrement(ref _count);
}
