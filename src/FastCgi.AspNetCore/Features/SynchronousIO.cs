using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

/// <summary>The rule that a body is read and written asynchronously unless that was relaxed.</summary>
internal static class SynchronousIO
{
    internal static void ThrowIfDisallowed(IHttpBodyControlFeature bodyControl)
    {
        if (!bodyControl.AllowSynchronousIO)
        {
            Throw();
        }
    }

    [DoesNotReturn]
    private static void Throw()
        => throw new InvalidOperationException(
            "Synchronous reads, writes and flushes of a body are not allowed, since each holds a thread while it "
            + "waits. Call the Async method, or set AllowSynchronousIO: in FastCgiServerOptions for all requests, or "
            + "on IHttpBodyControlFeature for this one.");
}
