namespace FastCgi.Tool.Records;

/// <summary>A connection whose bytes are shown to a trace.</summary>
internal sealed class TracedStream(Stream inner, ITrafficTrace trace) : ForwardOnlyStream
{
    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int received = await inner.ReadAsync(buffer, cancellationToken);
        trace.Received(buffer.Span[..received]);
        return received;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        trace.Sent(buffer.Span);
        return inner.WriteAsync(buffer, cancellationToken);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
