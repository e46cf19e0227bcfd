namespace FastCgi.Client.Tests.Harness;

/// <summary>An empty stream that cannot be closed.</summary>
internal sealed class StubbornStream : MemoryStream
{
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(0);

    protected override void Dispose(bool disposing)
    {
        base.Dispose(disposing);
        throw new InvalidTimeZoneException("broken");
    }
}
