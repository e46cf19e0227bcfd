namespace FastCgi.Client.Responses;

/// <summary>The content of a response. It can be read once.</summary>
internal sealed class ResponseContent(Stream stream) : HttpContent
{
    protected override Task<Stream> CreateContentReadStreamAsync() => Task.FromResult(stream);

    protected override Stream CreateContentReadStream(CancellationToken cancellationToken) => stream;

    protected override Task SerializeToStreamAsync(Stream destination, TransportContext? context) =>
        stream.CopyToAsync(destination);

    protected override Task SerializeToStreamAsync(
        Stream destination, TransportContext? context, CancellationToken cancellationToken) =>
        stream.CopyToAsync(destination, cancellationToken);

    protected override void SerializeToStream(
        Stream destination, TransportContext? context, CancellationToken cancellationToken) =>
        stream.CopyTo(destination);

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            stream.Dispose();
        }

        base.Dispose(disposing);
    }
}
