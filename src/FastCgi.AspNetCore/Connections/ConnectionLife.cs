using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The phase and the time limits of a connection. Never touches the socket. Guarded by the gate.</summary>
internal struct ConnectionLife(ServerContext server)
{
    /// <summary>Limit for the peer to close after the half-close. Then the socket is closed anyway.</summary>
    private static readonly TimeSpan s_lingerTimeout = TimeSpan.FromSeconds(2);

    /// <summary>The kind of the peer, and what a stop waits for.</summary>
    public StopPolicy Policy;

    private long _idleSince = server.Clock.Now;
    private long _waitsSince; // Start of the current wait: the stop, the close request to nginx or the half-close.
    private bool _isAskedToClose;

    public ConnectionPhase Phase { get; private set; }

    /// <summary>The peer may still be sending when the socket closes, so it is half-closed first.</summary>
    public bool Lingers { get; set; }

    public readonly bool IsStopping => Policy.IsStopping;

    /// <summary>True if the connection takes no request beyond those that already run.</summary>
    public readonly bool IsEnding => Phase != ConnectionPhase.Open || IsStopping;

    /// <summary>The allowed changes of phase. Only a lost connection skips phases.</summary>
    public static bool Allows(ConnectionPhase from, ConnectionPhase to) => (from, to) switch
    {
        (ConnectionPhase.Open, ConnectionPhase.Closing) => true,
        (ConnectionPhase.Closing, ConnectionPhase.Flushing) => true,
        (ConnectionPhase.Flushing, ConnectionPhase.Lingering) => true,
        (not ConnectionPhase.Closed, ConnectionPhase.Closed) => true,
        _ => false,
    };

    /// <summary>Changes the phase; nothing else does. False if it is already that far.</summary>
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
    /// True if a request may begin beside <paramref name="running"/> others. During a stop, a request must be the only
    /// one: a connection that always carries another request would never end.
    /// </summary>
    public readonly bool TakesRequest(int running) => Phase == ConnectionPhase.Open && !(IsStopping && running > 0);

    /// <summary>Stops taking requests.</summary>
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

    public void BeginIdle() => _idleSince = server.Clock.Now;

    /// <summary>True to ask nginx now to close: once until the next request, if it keeps the connection.</summary>
    public bool TryAskToClose()
    {
        if (_isAskedToClose || !Policy.IsKeptByNginx)
        {
            return false;
        }

        _isAskedToClose = true;
        _waitsSince = server.Clock.Now;
        return true;
    }

    public void Stop()
    {
        if (Phase < ConnectionPhase.Lingering)
        {
            _waitsSince = server.Clock.Now;
        }

        Policy.Begin();
    }

    /// <inheritdoc cref="StopPolicy.IsLast"/>
    public readonly bool IsLast(bool keepsConnection, int running) =>
        IsEnding && Policy.IsLast(keepsConnection, running);

    /// <summary>During a stop: true if the expected request or close has not come in time.</summary>
    public readonly bool HasExpectedInVain =>
        Phase <= ConnectionPhase.Closing && Policy.HasExpectedInVain(server.Clock.Since(_waitsSince));

    /// <summary>For a connection without requests: the reason to close it now, or null to keep it.</summary>
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

/// <summary>The phases of a connection from open to closed. A connection only moves down this list.</summary>
internal enum ConnectionPhase
{
    Open,

    /// <summary>Takes no more requests. Those that run are completed.</summary>
    Closing,

    /// <summary>No request is left. The last bytes are being sent.</summary>
    Flushing,

    /// <summary>Half-closed. Bytes from the peer are discarded until it closes too.</summary>
    Lingering,

    Closed,
}
