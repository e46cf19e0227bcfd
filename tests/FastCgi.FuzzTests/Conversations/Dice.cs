namespace FastCgi.FuzzTests.Conversations;

/// <summary>Numbers that follow from a seed alone, on every machine and every runtime (splitmix64).</summary>
internal sealed class Dice(ulong seed)
{
    private ulong _state = seed;

    public ulong Next()
    {
        _state += 0x9E3779B97F4A7C15;
        var mixed = _state;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

    /// <summary>From 0 to below the limit.</summary>
    public int Below(int limit) => (int)(((Next() >> 32) * (ulong)limit) >> 32);

    /// <summary>From the first to below the second.</summary>
    public int Between(int first, int limit) => first + Below(limit - first);

    /// <summary>True once in so many throws.</summary>
    public bool OnceIn(int throws) => Below(throws) == 0;

    public void Fill(Span<byte> bytes)
    {
        foreach (ref var value in bytes)
        {
            value = (byte)Next();
        }
    }
}
