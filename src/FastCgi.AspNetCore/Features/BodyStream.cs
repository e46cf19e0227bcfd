using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

/// <summary>The stream of a body: without seeking, and asynchronous unless that was relaxed.</summary>
internal abstract class BodyStream : Stream
{
    public override bool CanSeek => false;

    public override long Length => throw NoSeek();

    public override long Position
    {
        get => throw NoSeek();
        set => throw NoSeek();
    }

    public override long Seek(long offset, SeekOrigin origin) => throw NoSeek();

    public override void SetLength(long value) => throw NoSeek();

    protected static void ThrowIfDisallowed(IHttpBodyControlFeature bodyControl)
    {
        if (!bodyControl.AllowSynchronousIO)
        {
            ThrowSynchronous();
        }
    }

    private static NotSupportedException NoSeek() => new("The stream cannot be sought in.");

    [DoesNotReturn]
    private static void ThrowSynchronous()
        => throw new InvalidOperationException(
            "Synchronous reads, writes and flushes of a body are not allowed, since each holds a thread while it "
            + "waits. Call the Async method, or set AllowSynchronousIO: in FastCgiServerOptions for all requests, or "
            + "on IHttpBodyControlFeature for this one.");
}
