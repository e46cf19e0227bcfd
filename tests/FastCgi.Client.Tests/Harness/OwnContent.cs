namespace FastCgi.Client.Tests.Harness;

/// <summary>A content that the test writes.</summary>
internal sealed class OwnContent(Func<Stream, CancellationToken, Task> write, long? length = null) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        write(stream, cancellationToken);

    protected override bool TryComputeLength(out long computed)
    {
        computed = length ?? 0;
        return length is not null;
    }
}
