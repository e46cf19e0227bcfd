namespace FastCgi.Client.Responses;

/// <summary>The content of a response, as it comes.</summary>
internal sealed class ResponseStream(IContentSource body) : ForwardOnlyStream
{
    public override bool CanRead => true;

    public override bool CanWrite => false;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : body.ReadAsync(buffer, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            body.Dispose();
        }

        base.Dispose(disposing);
    }
}
