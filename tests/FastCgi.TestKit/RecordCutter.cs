using System.Runtime.InteropServices;
using System.Text;

namespace FastCgi.TestKit;

/// <summary>
/// Cuts what the server or the client sent into records, for the scripted peer of either; a parser of its own, like the
/// encoder.
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

        var content = CollectionsMarshal.AsSpan(_bytes).Slice(HeaderSize, contentLength).ToArray();
        var record = new WireRecord(_bytes[0], _bytes[1], (_bytes[2] << 8) | _bytes[3], content, paddingLength);
        _bytes.RemoveRange(0, size);
        return record;
    }

    /// <summary>The next bytes, where they are no records; null while there are fewer.</summary>
    public byte[]? Take(int count)
    {
        if (_bytes.Count < count)
        {
            return null;
        }

        var taken = _bytes.GetRange(0, count).ToArray();
        _bytes.RemoveRange(0, count);
        return taken;
    }

    /// <summary>The pairs of a stream of params. One that is cut off is out of range.</summary>
    public static IEnumerable<(string Name, string Value)> Pairs(byte[] content)
    {
        for (var position = 0; position < content.Length;)
        {
            var (nameLength, valueLength) = (Length(), Length());
            yield return (Text(nameLength), Text(valueLength));

            int Length() => content[position] < 0x80
                ? content[position++]
                : ((content[position++] & 0x7F) << 24) | (content[position++] << 16) | (content[position++] << 8) | content[position++];

            string Text(int length)
            {
                position += length;
                return Encoding.UTF8.GetString(content, position - length, length);
            }
        }
    }
}
