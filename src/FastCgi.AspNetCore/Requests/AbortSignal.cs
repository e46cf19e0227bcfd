using FastCgi.AspNetCore.Server;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Whether one request was aborted: the peer ended it, the socket was lost, or the application gave up. RequestAborted
/// fires on another thread, never on the one that noticed. Not reused: a kept token belongs to its request alone.
/// </summary>
internal sealed class AbortSignal(ILogger log)
{
    // Changed by interlocked operations only: the connection, the application and the end of the request race here.
    private int _state;
    private CancellationTokenSource? _source;
    private volatile bool _isResponseWhole;

    private enum State
    {
        Armed,

        /// <summary>Aborted before the response ended: the token is cancelled.</summary>
        Fired,

        /// <summary>The response has ended: a peer that goes now got everything, and the token stays quiet.</summary>
        Disarmed,

        /// <summary>Aborted after the last byte of the response: the token stays quiet.</summary>
        Late,
    }

    /// <summary>Its last byte is with the connection, though the application goes on.</summary>
    public bool IsResponseWhole
    {
        get => _isResponseWhole;
        set => _isResponseWhole = value;
    }

    public bool IsAborted => (State)Volatile.Read(ref _state) is State.Fired or State.Late;

    /// <summary>
    /// Made when first asked for. Behind an abort it is cancelled already: an application that looks once, at its end,
    /// must not take the request for a whole one while the cancellation waits for the thread pool.
    /// </summary>
    public CancellationToken Token
    {
        get
        {
            CancellationTokenSource source = Volatile.Read(ref _source)
                ?? Interlocked.CompareExchange(ref _source, new CancellationTokenSource(), null)
                ?? _source;

            // Looked at behind the publication of the source: one that Fire has not seen is handed to nobody.
            return (State)Volatile.Read(ref _state) == State.Fired
                ? new CancellationToken(canceled: true)
                : source.Token;
        }
    }

    /// <summary>The request is aborted. Any number of times.</summary>
    /// <param name="isPeerGone">
    /// That alone: it loses nothing of a whole response, and what the application does behind the last byte goes on.
    /// </param>
    public void Fire(bool isPeerGone = false)
    {
        bool isLate = isPeerGone && _isResponseWhole;
        if (TryMove(State.Armed, isLate ? State.Late : State.Fired))
        {
            if (!isLate && Volatile.Read(ref _source) is { } source)
            {
                TokenCancellation.Queue(source, log);
            }
        }
        else
        {
            TryMove(State.Disarmed, State.Late);
        }
    }

    /// <summary>The response has ended: an abort from now on tells nobody.</summary>
    public void Disarm() => TryMove(State.Armed, State.Disarmed);

    private bool TryMove(State from, State to) =>
        Interlocked.CompareExchange(ref _state, (int)to, (int)from) == (int)from;
}

/// <summary>The exceptions that a read of the body meets after an abort.</summary>
internal static class AbortReasons
{
    /// <summary>HttpContext.Abort().</summary>
    public static Exception ByApplication() =>
        new TaskCanceledException("The request was aborted by the application.");

    /// <summary>RequestTimeout is over.</summary>
    public static Exception TimedOut() =>
        new TaskCanceledException("The request was aborted: it ran longer than RequestTimeout.");

    /// <summary>The response of an upgraded request was completed, which ends its stream too.</summary>
    public static Exception ResponseEnded() =>
        new IOException("The upgraded stream ended with the response, which was completed.");

    /// <summary>The peer is gone, or has no more interest.</summary>
    public static Exception ConnectionLost() =>
        new ConnectionResetException("The web server closed the connection: its client has gone.");
}
