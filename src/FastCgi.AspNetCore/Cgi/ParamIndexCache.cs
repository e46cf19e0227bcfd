namespace FastCgi.AspNetCore.Cgi;

/// <summary>The index of the params of one request after the other. Any thread may ask for it.</summary>
internal sealed class ParamIndexCache
{
    private int _lastGeneration;

    // Zero while params still come.
    private volatile int _generation;
    private volatile ParamIndex? _index;

    /// <summary>All params of a request have come, and stay until <see cref="Clear"/>.</summary>
    public void Complete() => _generation = ++_lastGeneration;

    /// <summary>The params of the next request come.</summary>
    public void Clear()
    {
        _generation = 0;
        _index = null;
    }

    /// <summary>
    /// The index of the params that are here. Kept only if they were the same ones all the time: who reads params of a
    /// request that has ended may meet those of the next one, half of which have come.
    /// </summary>
    public ParamIndex Get(byte[] buffer, ParamEntry[] entries, int count)
    {
        var generation = _generation;
        if (_index is { } kept && kept.Generation == generation)
        {
            return kept;
        }

        var index = new ParamIndex(buffer, entries, count, generation);
        if (generation != 0 && _generation == generation)
        {
            _index = index;
        }

        return index;
    }
}
