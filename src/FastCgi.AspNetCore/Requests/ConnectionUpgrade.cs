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
    private UpgradePhase _phase;

    // Written by the application's calls during the request.
    private bool _isMeasured;

    // Not the connection of the pooled request: an abandoned upgrade may end when the request already has another one.
    private EndPoint? EndPoint => response.Connection.LocalEndPoint;

    /// <summary>The phase after an event; null if the event comes too early or too late.</summary>
    public static UpgradePhase? After(UpgradePhase phase, UpgradeEvent happened)
    {
        Probe.Count(StateTable.Upgrade, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            (UpgradePhase.Unasked, UpgradeEvent.Begin) => UpgradePhase.Switching,
            (UpgradePhase.Switching, UpgradeEvent.Succeed) => UpgradePhase.Upgraded,
            (not UpgradePhase.Over, UpgradeEvent.End) => UpgradePhase.Over,
            _ => null,
        };
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

        if (!TryMove(UpgradeEvent.Begin, out _))
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
        if (!TryMove(UpgradeEvent.Succeed, out _))
        {
            throw AbortReasons.ConnectionLost();
        }

        RequestLog.ConnectionUpgraded(request.Server.RequestLog, response.Connection.Id, features.TraceIdentifier);
        return stream;
    }

    /// <summary>Ends the upgrade and frees its place. A client may return as soon as it sees the end.</summary>
    public void Stop()
    {
        if (TryMove(UpgradeEvent.End, out UpgradePhase before) && before != UpgradePhase.Unasked)
        {
            request.Server.CloseUpgraded(EndPoint, _isMeasured);
        }
    }

    private bool TryMove(UpgradeEvent happened, out UpgradePhase before)
    {
        before = _phase;
        while (After(before, happened) is { } after)
        {
            UpgradePhase found = Interlocked.CompareExchange(ref _phase, after, before);
            if (found == before)
            {
                return true;
            }

            before = found;
        }

        return false;
    }
}

/// <summary>The phases of an upgrade. <see cref="ConnectionUpgrade.After"/> has all transitions.</summary>
internal enum UpgradePhase
{
    /// <summary>The application has not asked for the upgrade.</summary>
    Unasked,

    /// <summary>The upgrade counts for MaxConcurrentUpgradedConnections; its head has not left.</summary>
    Switching,

    /// <summary>The application owns both directions.</summary>
    Upgraded,

    /// <summary>The peer left, or the request has ended.</summary>
    Over,
}

/// <summary>The events of the upgrade of a connection.</summary>
internal enum UpgradeEvent
{
    /// <summary>The application asks for the upgrade, and the limit allows it.</summary>
    Begin,

    /// <summary>The head has left.</summary>
    Succeed,

    /// <summary>The peer left, or the request has ended.</summary>
    End,
}
