using System.Collections.Concurrent;
using FastCgi.AspNetCore.Server;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Counts what the server has borrowed, and notices what is given back twice.</summary>
internal sealed class CountingBufferPool : BufferPool
{
    private readonly ConcurrentDictionary<byte[], bool> _rented = new(ReferenceEqualityComparer.Instance);
    private int _returnedTwice;

    /// <summary>Rented, and neither returned nor left to the collector on purpose.</summary>
    public int Outstanding => _rented.Count;

    public int ReturnedTwice => Volatile.Read(ref _returnedTwice);

    public void AddTo(IServiceCollection services) => services.AddSingleton<BufferPool>(this);

    public override byte[] Rent(int minimumLength)
    {
        var buffer = base.Rent(minimumLength);
        _rented[buffer] = true;
        return buffer;
    }

    public override void Return(byte[] buffer)
    {
        if (Take(buffer))
        {
            base.Return(buffer);
        }
    }

    public override void Abandon(byte[] buffer) => Take(buffer);

    private bool Take(byte[] buffer)
    {
        if (_rented.TryRemove(buffer, out _))
        {
            return true;
        }

        Interlocked.Increment(ref _returnedTwice);
        return false;
    }
}
