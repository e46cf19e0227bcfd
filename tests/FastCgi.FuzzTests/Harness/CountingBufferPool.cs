using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Server;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Counts what the server has borrowed, and notices what is given back twice.</summary>
public sealed class CountingBufferPool
{
    private readonly Pool _pool = new();

    /// <summary>Rented, and neither returned nor left to the collector on purpose.</summary>
    public int Outstanding => _pool.Rented.Count;

    public int ReturnedTwice => _pool.Strange;

    public void AddTo(IServiceCollection services) => services.AddSingleton<BufferPool>(_pool);

    private sealed class Pool : BufferPool
    {
        private int _strange;

        public ConcurrentDictionary<byte[], bool> Rented { get; } = new(ReferenceComparer.Instance);

        public int Strange => Volatile.Read(ref _strange);

        public override byte[] Rent(int minimumLength)
        {
            var buffer = base.Rent(minimumLength);
            Rented[buffer] = true;
            return buffer;
        }

        public override void Return(byte[] buffer)
        {
            if (!Rented.TryRemove(buffer, out _))
            {
                Interlocked.Increment(ref _strange);
                return;
            }

            base.Return(buffer);
        }

        public override void Abandon(byte[] buffer)
        {
            if (!Rented.TryRemove(buffer, out _))
            {
                Interlocked.Increment(ref _strange);
            }
        }
    }

    private sealed class ReferenceComparer : IEqualityComparer<byte[]>
    {
        public static ReferenceComparer Instance { get; } = new();

        public bool Equals(byte[]? x, byte[]? y) => ReferenceEquals(x, y);

        public int GetHashCode(byte[] buffer) => RuntimeHelpers.GetHashCode(buffer);
    }
}
