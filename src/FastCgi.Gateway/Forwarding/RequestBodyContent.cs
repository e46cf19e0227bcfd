using System.Buffers;
using System.IO.Pipelines;
using System.Net;

namespace FastCgi.Gateway.Forwarding;

/// <summary>The body of the client's request for the application, read as fast as the application takes it.</summary>
/// <remarks>
/// The copy runs in parallel with the response. <see cref="StopAsync"/> ends it before the request ends, because an
/// HttpContext must not be used after that.
/// </remarks>
internal sealed class RequestBodyContent(HttpContext context, ResponseDeadline deadline) : HttpContent
{
    private const int BufferSize = 64 * 1024;

    private readonly CancellationTokenSource _stop = new();
    private Task _copying = Task.CompletedTask;

    /// <summary>Ends the copy, if one is running.</summary>
    public async ValueTask StopAsync()
    {
        if (!_copying.IsCompleted)
        {
            await _stop.CancelAsync().ConfigureAwait(false);
            await _copying.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? transport) =>
        SerializeToStreamAsync(stream, transport, CancellationToken.None);

    protected override Task SerializeToStreamAsync(
        Stream stream, TransportContext? transport, CancellationToken cancellationToken) =>
        _copying = CopyAsync(stream, cancellationToken);

    protected override bool TryComputeLength(out long length)
    {
        length = context.Request.ContentLength ?? 0;
        return context.Request.ContentLength is not null;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _stop.Dispose();
        }

        base.Dispose(disposing);
    }

    private async Task CopyAsync(Stream destination, CancellationToken cancellationToken)
    {
        PipeReader reader = context.Request.BodyReader;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, cancellationToken);

        // After a read that was cancelled by its token, Kestrel's reader cannot drain the rest.
        using CancellationTokenRegistration registration = either.Token.UnsafeRegister(
            static reader => ((PipeReader)reader!).CancelPendingRead(), reader);
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        try
        {
            while (true)
            {
                ReadResult result = await reader.ReadAsync(CancellationToken.None).ConfigureAwait(false);
                ReadOnlySequence<byte> taken = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, BufferSize));
                taken.CopyTo(buffer);
                int count = (int)taken.Length;
                bool isLast = result.IsCompleted && count == result.Buffer.Length;
                reader.AdvanceTo(taken.End);
                either.Token.ThrowIfCancellationRequested();
                if (count > 0)
                {
                    deadline.Restart();
                    await destination.WriteAsync(buffer.AsMemory(0, count), either.Token).ConfigureAwait(false);
                }

                if (isLast)
                {
                    return;
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
