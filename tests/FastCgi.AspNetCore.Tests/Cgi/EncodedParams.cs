namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>Params in one buffer, with bytes around each that would be noticed if they were read.</summary>
internal sealed class EncodedParams
{
    private readonly byte[] _buffer;
    private readonly (int NameOffset, int NameLength, int ValueOffset, int ValueLength)[] _places;

    public EncodedParams((byte[] Name, byte[] Value)[] @params)
    {
        List<byte> buffer = [0xFF];
        _places = new (int, int, int, int)[@params.Length];
        for (var i = 0; i < @params.Length; i++)
        {
            var (name, value) = @params[i];
            _places[i] = (buffer.Count, name.Length, buffer.Count + name.Length + 1, value.Length);
            buffer.AddRange(name);
            buffer.Add(0xFF);
            buffer.AddRange(value);
            buffer.Add(0xFF);
        }

        _buffer = [.. buffer];
    }

    /// <param name="target">Gets the params.</param>
    /// <param name="from">The first of them.</param>
    /// <param name="upTo">The first of them that does not come; null for all.</param>
    public void AddTo(CgiParams target, int from = 0, int? upTo = null)
    {
        target.SetBuffer(_buffer);
        var places = _places.AsSpan()[from..(upTo ?? _places.Length)];
        foreach (var (nameOffset, nameLength, valueOffset, valueLength) in places)
        {
            target.Add(nameOffset, nameLength, valueOffset, valueLength);
        }
    }
}
