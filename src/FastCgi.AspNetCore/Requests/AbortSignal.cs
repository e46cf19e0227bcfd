using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Records whether one request was aborted: by the peer, by the loss of the socket or by the application.
/// RequestAborted fires on another thread. Not reused: a token that an application keeps belongs to its request alone.
/// </summary>
internal sealed class AbortSignal(ILogger log)
{
    // Changed by interlocked operations only, because the connection, the application and the end of the request race.
    private int _state;
    private CancellationTokenSource? _source;
    private volatile bool _isResponseWhole;

    private enum State
    {
        Armed,

        /// <summary>Aborted before the response ended: the token is cancelled.</summary>
        Fired,

        /// <summary>The response has ended. A peer that leaves now has received everything: no cancellation.</summary>
        Disarmed,

        /// <summary>Aborted after the last byte of the response: the token is not cancelled.</summary>
        Late,
    }

    /// <summary>True if the connection has the last byte of the response; the application may still run.</summary>
    public bool IsResponseWhole
    {
        get => _isResponseWhole;
        set => _isResponseWhole = value;
    }

    public bool IsAborted => (State)Volatile.Read(ref _state) is State.Fired or State.Late;

    /// <summary>
    /// Created when first asked for. After an abort it is cancelled already, without waiting for the thread pool: an
    /// application that checks it once, at its end, must not take an aborted request for a complete one.
    /// </summary>
    public CancellationToken Token
    {
        get
        {
            CancellationTokenSource source = Volatile.Read(ref _source)
                ?? Interlocked.CompareExchange(ref _source, new CancellationTokenSource(), null)
                ?? _source;

            // Checked after the source is published, so a source that Fire has missed is never returned.
            return (State)Volatile.Read(ref _state) == State.Fired
                ? new CancellationToken(canceled: true)
                : source.Token;
        }
    }

    /// <summary>Aborts the request. May be called several times.</summary>
    /// <param name="isPeerGone">
    /// True if the peer has only closed the connection. A complete response loses nothing then, so the application
    /// continues.
    /// </param>
    public void Fire(bool isPeerGone = false)
    {
        bool isLate = isPeerGone && _isResponseWhole;
        if (TryMove(State.Armed, isLate ? State.Late : State.Fired))
        {
            if (!isLate && Volatile.Read(ref _source) is { } source)
            {
                EndingThreads.Cancel(source, log);
            }
        }
        else
        {
            TryMove(State.Disarmed, State.Late);
        }
    }

    /// <summary>The response has ended: a later abort cancels nothing.</summary>
    public void Disarm() => TryMove(State.Armed, State.Disarmed);

    private bool TryMove(State from, State to) =>
        Interlocked.CompareExchange(ref _state, (int)to, (int)from) == (int)from;
}

/// <summary>The exceptions that reads of the body throw after an abort.</summary>
internal static class AbortReasons
{
    /// <summary>The application called HttpContext.Abort().</summary>
    public static Exception ByApplication() =>
        new TaskCanceledException("The request was aborted by the application.");

    /// <summary>The request ran longer than RequestTimeout.</summary>
    public static Exception TimedOut() =>
        new TaskCanceledException("The request was aborted: it ran longer than RequestTimeout.");

    /// <summary>The response of an upgraded request was completed, which also ends the upgraded stream.</summary>
    public static Exception ResponseEnded() =>
        new IOException("The upgraded stream ended with the response, which was completed.");

    /// <summary>The peer has left, or has aborted the request.</summary>
    public static Exception ConnectionLost() =>
        new ConnectionResetException("The web server closed the connection: its client has gone.");
}
