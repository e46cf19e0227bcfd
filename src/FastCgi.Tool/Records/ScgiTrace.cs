using FastCgi.Protocol.Scgi;

namespace FastCgi.Tool.Records;

/// <summary>Prints the head of an SCGI request, and the number of bytes that follow.</summary>
internal sealed class ScgiTrace(TextWriter output) : ITrafficTrace
{
    private readonly Lock _lock = new();
    private readonly List<byte> _head = [];
    private NetstringReader _reader;

    public void Sent(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            PrintHead(ref bytes);
            if (!bytes.IsEmpty)
            {
                output.WriteLine($"> body, {bytes.Length} bytes");
            }
        }
    }

    public void Received(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            output.WriteLine(bytes.IsEmpty ? "< end of the connection" : $"< {bytes.Length} bytes");
        }
    }

    private void PrintHead(ref ReadOnlySpan<byte> bytes)
    {
        while (!_reader.IsWhole && _reader.TryRead(ref bytes, out ReadOnlySpan<byte> part))
        {
            _head.AddRange(part);
            if (_reader.IsWhole)
            {
                output.WriteLine($"> head, {_head.Count} bytes");
                PrintHeaders();
            }
        }
    }

    private void PrintHeaders()
    {
        byte[] head = [.. _head];
        var headers = new ScgiHeaderReader(head);
        while (headers.TryRead(out NameValuePair header))
        {
            string name = Encoding.UTF8.GetString(header.NameIn(head));
            output.WriteLine($">   {name}={RecordPrinter.Printable(header.ValueIn(head))}");
        }
    }
}
