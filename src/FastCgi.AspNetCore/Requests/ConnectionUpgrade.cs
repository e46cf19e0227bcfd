using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The upgrade of a connection (RFC 9110, section 7.8), as for WebSockets: after a head with status 101, the
/// application owns both directions. Created for a request that may ask for it. The body of the request is empty until
/// then.
/// </summary>
internal sealed class ConnectionUpgrade(FastCgiRequest request, RequestFeatures features, ApplicationResponse response)
{
    // Changed by interlocked operations only: an abandoned upgrade races with the end of the request.
    private volatile Place _place;

    // Written by the application's calls during the request.
    private bool _isMeasured;

    // Not the connection of the pooled request: an abandoned upgrade may end when the request already has another one.
    private EndPoint? EndPoint => response.Connection.LocalEndPoint;

    /// <summary>The place of the upgrade in MaxConcurrentUpgradedConnections. It only moves down this list.</summary>
    private enum Place
    {
        /// <summary>None yet: the application has not asked for the upgrade.</summary>
        None,

        Taken,

        /// <summary>The peer left, or the request has ended.</summary>
        Returned,
    }

    /// <summary>Sends the head, and gives both directions to the application.</summary>
    /// <exception cref="InvalidOperationException">It is too late, or too many connections are upgraded.</exception>
    /// <exception cref="IOException">The client has left.</exception>
    public async Task<Stream> RunAsync()
    {
        if (response.IsUpgrade || response.HasStarted)
        {
            throw new InvalidOperationException(response.IsUpgrade
                ? "The connection has been upgraded already."
                : "The connection cannot be upgraded: the response has started.");
        }

        if (!request.Server.TryOpenUpgraded(EndPoint, out _isMeasured))
        {
            throw new InvalidOperationException(
                $"The connection cannot be upgraded: {request.Server.Limits.MaxConcurrentUpgradedConnections} others " +
                "are (MaxConcurrentUpgradedConnections).");
        }

        if (Interlocked.CompareExchange(ref _place, Place.Taken, Place.None) != Place.None)
        {
            request.Server.CloseUpgraded(EndPoint, _isMeasured);
            throw AbortReasons.ConnectionLost();
        }

        // Before the head leaves, because the client may send the next bytes right after it.
        if (!response.Connection.TryUpgrade(request))
        {
            Stop();
            throw AbortReasons.ConnectionLost();
        }

        // Before anything is awaited, because after that the body may belong to another request.
        var writer = new ResponsePipeWriter(response, isUpgraded: true);
        var stream = new BodyStream(
            new RequestBodyReader(request.Body, response, isUpgraded: true), writer, response);
        response.Upgrade();
        await writer.FlushAsync(CancellationToken.None).ConfigureAwait(false);
        if (_place == Place.Returned)
        {
            throw AbortReasons.ConnectionLost();
        }

        RequestLog.ConnectionUpgraded(request.Server.RequestLog, response.Connection.Id, features.TraceIdentifier);
        return stream;
    }

    /// <summary>Ends the upgrade and frees its place. A client may return as soon as it sees the end.</summary>
    public void Stop()
    {
        if (Interlocked.Exchange(ref _place, Place.Returned) == Place.Taken)
        {
            request.Server.CloseUpgraded(EndPoint, _isMeasured);
        }
    }
}
