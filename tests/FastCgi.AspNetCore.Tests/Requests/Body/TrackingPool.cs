namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>Lends dirty buffers, dirties them again when they come home, and counts those that are out.</summary>
internal sealed class TrackingPool : BufferPool
{
    private readonly HashSet<byte[]> _out = new(ReferenceEqualityComparer.Instance);

    public int Outstanding
    {
        get
        {
            lock (_out)
            {
                return _out.Count;
            }
        }
    }

    /// <summary>The most bytes that were out at a time.</summary>
    public int Most { get; private set; }

    /// <summary>Buffers that were left to the collector on purpose.</summary>
    public int Abandoned { get; private set; }

    public override byte[] Rent(int minimumLength)
    {
        var buffer = DirtyMemory.OfLength(minimumLength);
        lock (_out)
        {
            _out.Add(buffer);
            Most = Math.Max(Most, _out.Sum(static one => one.Length));
        }

        return buffer;
    }

    public override void Return(byte[] buffer)
    {
        Leave(buffer);
        buffer.AsSpan().Fill(DirtyMemory.Dirt);
    }

    public override void Abandon(byte[] buffer)
    {
        Leave(buffer);
        Abandoned++;
    }

    private void Leave(byte[] buffer)
    {
        lock (_out)
        {
            Assert.True(_out.Remove(buffer), "A buffer came home twice, or is not of this pool.");
        }
    }
}
