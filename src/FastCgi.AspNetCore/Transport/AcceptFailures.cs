using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// What an accept loop does about connections that it does not get: it pauses, and writes one entry for a burst. Never
/// throws.
/// </summary>
internal sealed partial class AcceptFailures(string address, ILogger logger, TimeProvider timeProvider)
{
    private readonly AcceptBackoff _backoff = new(timeProvider);

    /// <summary>Whether a pause helps: no for a peer that left before it was accepted.</summary>
    public static bool CallsForPause(SocketError error) =>
        error is not (SocketError.ConnectionAborted or SocketError.ConnectionReset);

    /// <summary>
    /// Completes when accepting is worth another try. A try at once would only burn a core until a descriptor is free.
    /// </summary>
    public Task PauseAsync(Exception failure, CancellationToken stopping)
    {
        if (_backoff.BeginsBurst)
        {
            if (failure is SocketException
                { SocketErrorCode: SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable })
            {
                LogAcceptPaused(logger, address, failure.Message);
            }
            else
            {
                LogAcceptFailed(logger, address, failure);
            }
        }

        return _backoff.WaitAsync(stopping);
    }

    /// <summary>A connection came.</summary>
    public void OnAccepted()
    {
        if (_backoff.Reset())
        {
            LogAcceptResumed(logger, address);
        }
    }

    /// <summary>
    /// A connection came and could not be served: its peer may have left before the first option was set, and no
    /// connection may end the loop.
    /// </summary>
    public void OnNotServed(Exception exception)
    {
        if (exception is not SocketException)
        {
            LogAcceptFailed(logger, address, exception);
        }
    }

    [LoggerMessage(LogEvents.AcceptPaused, LogLevel.Warning,
        "No connection can be accepted on {Address} for now: {Reason}. Accepting goes on as soon as possible.",
        EventName = nameof(LogEvents.AcceptPaused))]
    private static partial void LogAcceptPaused(ILogger logger, string address, string reason);

    [LoggerMessage(LogEvents.AcceptResumed, LogLevel.Information,
        "Connections are accepted on {Address} again.", EventName = nameof(LogEvents.AcceptResumed))]
    private static partial void LogAcceptResumed(ILogger logger, string address);

    [LoggerMessage(LogEvents.AcceptFailed, LogLevel.Error,
        "A connection to {Address} could not be taken on.", EventName = nameof(LogEvents.AcceptFailed))]
    private static partial void LogAcceptFailed(ILogger logger, string address, Exception exception);
}
