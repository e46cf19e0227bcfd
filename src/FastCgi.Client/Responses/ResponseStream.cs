namespace FastCgi.Client.Responses;

/// <summary>
/// The content of a response, as it comes. If a caller drops it without disposal, the finalizer ends it, so that its
/// place in the pool is not lost.
/// </summary>
internal class ResponseStream(IContentSource content) : ForwardOnlyStream
{
    /// <remarks>A running read does not keep the stream alive. The next collection tries again.</remarks>
    ~ResponseStream()
    {
        if (!content.TryDrop())
        {
            GC.ReRegisterForFinalize(this);
        }
    }

    public override bool CanRead => !IsDisposed;

    public override bool CanWrite => false;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : content.ReadAsync(buffer, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            content.Dispose();
        }

        base.Dispose(disposing);
    }
}
