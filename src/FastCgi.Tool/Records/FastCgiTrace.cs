namespace FastCgi.Tool.Records;

/// <summary>Prints each record of a FastCGI connection: <c>&gt;</c> was sent, <c>&lt;</c> was received.</summary>
internal sealed class FastCgiTrace(TextWriter output) : ITrafficTrace
{
    private readonly Lock _lock = new();
    private readonly RecordPrinter _sent = new('>', output);
    private readonly RecordPrinter _received = new('<', output);

    public void Sent(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            _sent.Print(bytes);
        }
    }

    public void Received(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (bytes.IsEmpty)
            {
                output.WriteLine("< end of the connection");
            }

            _received.Print(bytes);
        }
    }
}
