using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The phase of a connection, and what time does to it. Decides, and does nothing to the socket. Guarded by the gate.
/// </summary>
internal struct ConnectionLife(ServerContext server)
{
    /// <summary>How long a peer may take to close after us before the socket is closed under it.</summary>
    private static readonly TimeSpan s_lingerTimeout = TimeSpan.FromSeconds(2);

    private StopPolicy _stop;
    private long _idleSince = server.Clock.Now;
    private long _waitsSince; // From the stop on, the question to nginx, then the half-close.
    private bool _isAskedToClose;

    public ConnectionPhase Phase { get; private set; }

    /// <summary>The peer may still be sending when the socket closes, so it is half-closed first.</summary>
    public bool Lingers { get; set; }

    public readonly bool IsStopping => _stop.IsStopping;

    /// <summary>No further request is taken after those that run.</summary>
    public readonly bool IsEnding => Phase != ConnectionPhase.Open || IsStopping;

    /// <summary>Which phase may follow which: a connection can be lost at any moment, and skips nothing else.</summary>
    public static bool Allows(ConnectionPhase from, ConnectionPhase to) => (from, to) switch
    {
        (ConnectionPhase.Open, ConnectionPhase.Closing) => true,
        (ConnectionPhase.Closing, ConnectionPhase.Flushing) => true,
        (ConnectionPhase.Flushing, ConnectionPhase.Lingering) => true,
        (not ConnectionPhase.Closed, ConnectionPhase.Closed) => true,
        _ => false,
    };

    /// <summary>The only place where the phase changes. False: it is that far already.</summary>
    public bool TryAdvance(ConnectionPhase to)
    {
        if (to <= Phase)
        {
            return false;
        }

        if (!Allows(Phase, to))
        {
            throw new InvalidOperationException($"A connection does not go from {Phase} to {to}.");
        }

        if (to == ConnectionPhase.Lingering)
        {
            _waitsSince = server.Clock.Now;
        }

        Probe.Count(StateTable.Connection, (int)Phase, (int)to);
        Phase = to;
        return true;
    }

    /// <summary>
    /// Whether a request may begin beside <paramref name="running"/> others. In a stop only alone: a connection that
    /// always carries another request would never end.
    /// </summary>
    public readonly bool TakesRequest(int running) => Phase == ConnectionPhase.Open && !(IsStopping && running > 0);

    /// <summary>Takes no request any more.</summary>
    public void Close(bool lingers = false)
    {
        Lingers |= lingers;
        TryAdvance(ConnectionPhase.Closing);
    }

    public void OnRequestEnded()
    {
        BeginIdle();
        _isAskedToClose = false;
    }

    /// <summary>The time without a request counts from now on.</summary>
    public void BeginIdle() => _idleSince = server.Clock.Now;

    /// <summary>Whether to ask nginx now: once until the next request, and only if it keeps the connection.</summary>
    public bool TryAskToClose()
    {
        if (_isAskedToClose || !_stop.IsKeptByNginx)
        {
            return false;
        }

        _isAskedToClose = true;
        _waitsSince = server.Clock.Now;
        return true;
    }

    /// <summary>The server stops.</summary>
    public void Stop()
    {
        if (Phase < ConnectionPhase.Lingering)
        {
            _waitsSince = server.Clock.Now;
        }

        _stop.Begin();
    }

    /// <summary>The first request has told who sends here.</summary>
    public readonly bool KnowsPeer => _stop.KnowsPeer;

    /// <inheritdoc cref="StopPolicy.LearnPeer"/>
    public void LearnPeer(bool keepsConnection, bool isNginx) => _stop.LearnPeer(keepsConnection, isNginx);

    /// <inheritdoc cref="StopPolicy.IsLast"/>
    public readonly bool IsLast(bool keepsConnection, int running) =>
        IsEnding && _stop.IsLast(keepsConnection, running);

    /// <summary>In a stop: whether a request is still to be expected on a connection that has none.</summary>
    public readonly bool ExpectsRequest(bool hasBegunRequest, bool isBetweenRecords) =>
        _stop.ExpectsRequest(hasBegunRequest, isBetweenRecords);

    /// <summary>In a stop: what was expected has not come for too long.</summary>
    public readonly bool HasExpectedInVain =>
        Phase <= ConnectionPhase.Closing && _stop.HasExpectedInVain(server.Clock.Since(_waitsSince));

    /// <summary>For a connection without requests: why it is to be closed now; null for not yet.</summary>
    public readonly ConnectionEndReason? TimedOut()
    {
        if (Phase == ConnectionPhase.Lingering)
        {
            return server.Clock.Since(_waitsSince) > s_lingerTimeout ? ConnectionEndReason.RequestsEnded : null;
        }

        bool isAnswerDue = _isAskedToClose && server.Clock.Since(_waitsSince) <= StopPolicy.LongestWait;
        return Phase == ConnectionPhase.Open
            && !isAnswerDue
            && server.Clock.HasPassed(server.Limits.KeepAliveTimeout, _idleSince)
                ? ConnectionEndReason.KeepAliveTimeout
                : null;
    }
}

/// <summary>How far a connection is on its way to its end. It only moves down this list.</summary>
internal enum ConnectionPhase
{
    /// <summary>Takes requests.</summary>
    Open,

    /// <summary>Takes no request any more, and ends after those that run.</summary>
    Closing,

    /// <summary>No request is left; the last bytes are on their way into the socket.</summary>
    Flushing,

    /// <summary>Half-closed: what the peer still sends is discarded until it closes too.</summary>
    Lingering,

    /// <summary>The socket is closed.</summary>
    Closed,
}
