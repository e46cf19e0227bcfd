using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The upgrade of a connection (RFC 9110, section 7.8): behind a head with status 101 both directions belong to the
/// application, as WebSockets need it. Made for a request that asks for it where it may; until then its body is empty.
/// </summary>
internal sealed class ConnectionUpgrade(PooledParts parts, RequestFeatures features, ApplicationResponse response)
{
    private UpgradedStream? _stream;

    // 1 while it counts for MaxConcurrentUpgradedConnections. The application's end and a failed upgrade may race.
    private int _counts;

    /// <summary>Sends the head, and gives the application both directions.</summary>
    /// <exception cref="InvalidOperationException">It cannot any more, or there are too many already.</exception>
    /// <exception cref="IOException">The client has left.</exception>
    public async Task<Stream> RunAsync()
    {
        if (response.IsUpgrade || response.HasStarted)
        {
            throw new InvalidOperationException(response.IsUpgrade
                ? "The connection has been upgraded already."
                : "The connection cannot be upgraded: the response has started.");
        }

        if (!parts.Server.TryOpenUpgraded())
        {
            throw new InvalidOperationException(
                $"The connection cannot be upgraded: {parts.Server.Limits.MaxConcurrentUpgradedConnections} others " +
                $"are " +
                "(MaxConcurrentUpgradedConnections).");
        }

        Volatile.Write(ref _counts, 1);

        // Before the head leaves: what the client sends next comes right behind it.
        if (!parts.Slot.TryUpgrade())
        {
            StopCounting();
            throw AbortReasons.ConnectionLost();
        }

        response.Upgrade();
        await response.BodyWriter.FlushAsync(CancellationToken.None).ConfigureAwait(false);
        response.StopStream(new InvalidOperationException(
            "The connection was upgraded: write to the stream that UpgradeAsync returned."));
        RequestLog.Upgraded(parts.Server.RequestLog, parts.Slot.ConnectionId, features.TraceIdentifier);
        return _stream = new UpgradedStream(
            new RequestBodyStream(new RequestBodyReader(parts.Body, isUpgraded: true), features),
            new ResponseBodyStream(response.BodyWriter, features));
    }

    /// <summary>
    /// The application has left; a read that it abandoned ends by an exception. Before the client sees the end, its
    /// place is free: it may come again at once.
    /// </summary>
    public void Stop()
    {
        StopCounting();
        if (_stream is not null)
        {
            _stream.Stop();
            _stream = null;
        }
    }

    private void StopCounting()
    {
        if (Volatile.Read(ref _counts) != 0 && Interlocked.Exchange(ref _counts, 0) != 0)
        {
            parts.Server.CloseUpgraded();
        }
    }
}
