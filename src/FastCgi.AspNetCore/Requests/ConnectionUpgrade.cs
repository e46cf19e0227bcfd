using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The upgrade of a connection (RFC 9110, section 7.8): behind a head with status 101 both directions belong to the
/// application, as WebSockets need it. Made for a request that asks for it where it may; until then its body is empty.
/// </summary>
internal sealed class ConnectionUpgrade(FastCgiRequest request, RequestFeatures features, ApplicationResponse response)
{
    // Changed by interlocked operations only: an upgrade that the application abandoned races with its end.
    private UpgradePhase _phase;

    // Written by the application's flow, while the request lasts.
    private bool _isMeasured;

    // Not the one of the pooled request, which may have another when an upgrade that was abandoned ends.
    private EndPoint? EndPoint => response.Connection.LocalEndPoint;

    /// <summary>Null where the event comes too late, or too early.</summary>
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

        // Before the head leaves: what the client sends next comes right behind it.
        if (!response.Connection.TryUpgrade(request))
        {
            Stop();
            throw AbortReasons.ConnectionLost();
        }

        // Before anything is awaited: the body may be another request's afterwards.
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

    /// <summary>The application has left. The place is free before the client sees the end and comes again.</summary>
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

/// <summary>How far an upgrade is. <see cref="ConnectionUpgrade.After"/> has every transition.</summary>
internal enum UpgradePhase
{
    /// <summary>The application has not asked for it.</summary>
    Unasked,

    /// <summary>It counts for MaxConcurrentUpgradedConnections, and its head has not left.</summary>
    Switching,

    /// <summary>The application has both directions.</summary>
    Upgraded,

    /// <summary>The peer left, or the request has ended.</summary>
    Over,
}

/// <summary>The events of the upgrade of a connection.</summary>
internal enum UpgradeEvent
{
    /// <summary>The application asks for it, and there is room for one more.</summary>
    Begin,

    /// <summary>Its head has left.</summary>
    Succeed,

    /// <summary>The peer left, or the request has ended.</summary>
    End,
}
