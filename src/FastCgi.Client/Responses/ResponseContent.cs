namespace FastCgi.Client.Responses;

/// <summary>The content of a response. It can be read once: a second read would look like an empty content.</summary>
internal sealed class ResponseContent(Stream stream) : HttpContent
{
    private bool _isTaken;

    protected override Task<Stream> CreateContentReadStreamAsync() => Task.FromResult(Take());

    protected override Stream CreateContentReadStream(CancellationToken cancellationToken) => Take();

    protected override Task SerializeToStreamAsync(Stream destination, TransportContext? context) =>
        SerializeToStreamAsync(destination, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(
        Stream destination, TransportContext? context, CancellationToken cancellationToken) =>
        await Take().CopyToAsync(destination, cancellationToken).ConfigureAwait(false);

    protected override void SerializeToStream(
        Stream destination, TransportContext? context, CancellationToken cancellationToken) =>
        Take().CopyTo(destination);

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }

    private Stream Take()
    {
        if (_isTaken)
        {
            throw new InvalidOperationException(
                "The content of the response was read already. To read it again, call LoadIntoBufferAsync before the " +
                "first read.");
        }

        _isTaken = true;
        return stream;
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
