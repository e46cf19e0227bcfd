namespace FastCgi.TestKit;

/// <summary>
/// Cuts what the server sent into records, for the scripted peer; a parser of its own, like the encoder.
/// </summary>
public sealed class RecordCutter
{
    private const int HeaderSize = 8;

    private readonly List<byte> _bytes = [];

    /// <summary>Bytes that are not a whole record yet.</summary>
    public int Rest => _bytes.Count;

    public void Add(ReadOnlySpan<byte> received) => _bytes.AddRange(received);

    /// <summary>The next whole record, or null. Any version is a record here: the test judges it.</summary>
    public WireRecord? Take()
    {
        if (_bytes.Count < HeaderSize)
        {
            return null;
        }

        var contentLength = (_bytes[4] << 8) | _bytes[5];
        var paddingLength = _bytes[6];
        var size = HeaderSize + contentLength + paddingLength;
        if (_bytes.Count < size)
        {
            return null;
        }

        var content = _bytes.GetRange(HeaderSize, contentLength).ToArray();
        var record = new WireRecord(_bytes[0], _bytes[1], (_bytes[2] << 8) | _bytes[3], content, paddingLength);
        _bytes.RemoveRange(0, size);
        return record;
    }
}
