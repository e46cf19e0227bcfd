using FastCgi.Client.Connections;
using FastCgi.Client.Responses;
using FastCgi.Protocol;

namespace FastCgi.Client.Sending;

/// <summary>
/// A request that nobody waits for any more. ABORT_REQUEST (FastCGI 1.0, section 5.4) tells the application so; if the
/// request ends in time, its connection is kept.
/// </summary>
internal sealed class AbandonedExchange(
    PooledConnection connection,
    ConnectionPool pool,
    RequestSend send,
    ResponseReader reader,
    Receiver receiver,
    HandlerSettings settings)
{
    /// <summary>Gives the connection back in the end, kept or closed. Never throws.</summary>
    /// <param name="isWhole">The response has all its content; only its end is missing.</param>
    public async Task EndAsync(bool isWhole)
    {
        bool keep = false;
        try
        {
            keep = settings.Rules.KeepConnection && settings.AbortTimeout != TimeSpan.Zero
                && await TryEndAsync(isWhole).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Whatever the reason, the connection is of no further use. A callback or a stream of the caller's may
            // throw anything, and the place in the pool must not be lost.
        }

        receiver.Dispose();
        if (keep)
        {
            pool.Return(connection);
        }
        else
        {
            _ = send.StopAsync();
            pool.Discard(connection);
        }
    }

    private async ValueTask<bool> TryEndAsync(bool isWhole)
    {
        DropContent();
        if (!reader.IsEnded)
        {
            using var limit = new CancellationTokenSource(settings.AbortTimeout, settings.Clock);
            await send.StopAsync().WaitAsync(limit.Token).ConfigureAwait(false);
            if (send.IsBroken)
            {
                return false;
            }

            if (!isWhole || !send.IsComplete)
            {
                byte[] abort = new byte[FastCgiConstants.HeaderSize];
                RecordWriter.WriteHeader(abort, RecordType.AbortRequest, connection.RequestId, contentLength: 0);
                await connection.Stream.WriteAsync(abort, limit.Token).ConfigureAwait(false);
            }

            while (!reader.IsEnded && await receiver.ReceiveAsync(limit.Token).ConfigureAwait(false))
            {
                DropContent();
            }
        }

        return reader.IsEnded && receiver.IsEmpty && !send.IsBroken && !send.IsBusy;
    }

    private void DropContent()
    {
        ReadOnlyMemory<byte> received = receiver.Received;
        while (reader.TryRead(ref received, out _))
        {
        }

        receiver.Received = received;
    }
}
