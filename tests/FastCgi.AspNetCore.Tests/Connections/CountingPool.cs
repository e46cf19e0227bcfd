namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>Counts the buffers that did not come home.</summary>
internal sealed class CountingPool : BufferPool
{
    private int _rented;

    public int Rented => Volatile.Read(ref _rented);

    public override byte[] Rent(int minimumLength)
    {
        Interlocked.Increment(ref _rented);
        return base.Rent(minimumLength);
    }

    public override void Return(byte[] buffer)
    {
        Interlocked.Decrement(ref _rented);
        base.Return(buffer);
    }
}
