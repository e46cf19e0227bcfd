using System.ComponentModel;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// The failed accepts of a listener. The pauses between them begin at 10 ms and double up to 100 ms, until no peer
/// waits any more. Such a burst has one log entry. Never throws.
/// </summary>
internal sealed partial class AcceptFailures(
    string address, ILogger logger, TimeProvider timeProvider, DescriptorReserve? reserve = null)
{
    private const string NoneInSystem =
        "the system has no descriptor left. Raise its limit by sysctl fs.file-max";

    private static readonly TimeSpan s_firstPause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMilliseconds(100);

    private readonly LogInterval _interval = new(timeProvider);
    private TimeSpan _nextPause = s_firstPause;
    private volatile bool _lacksRoom;
    private volatile bool _isInBurst;
    private bool _hasTold;

    /// <summary>True if connections wait until others end.</summary>
    public bool LacksRoom => _lacksRoom;

    /// <summary>True if an accept has failed since the queue was last empty.</summary>
    public bool IsInBurst => _isInBurst;

    /// <summary>True if a pause helps. False for a peer that left before it was accepted.</summary>
    public static bool CallsForPause(SocketError error) =>
        error is not (SocketError.ConnectionAborted or SocketError.ConnectionReset);

    /// <summary>True if a resource has run out that becomes free when other connections end.</summary>
    public static bool IsLack(SocketError error) =>
        error is SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable;

    /// <summary>True if this is the last connection for now. Then call <see cref="PauseForRoomAsync"/>.</summary>
    public bool TakesLast(nint descriptor) => reserve?.Contains(descriptor) == true;

    /// <summary>Completes when another try is useful. An immediate one would only burn a core.</summary>
    /// <param name="failure">The reason why nothing is accepted.</param>
    /// <param name="stopping">Cancelled when the accepting ends, which also ends the pause.</param>
    /// <param name="isFull">Whether another try would fail; null if only a try can tell.</param>
    public Task PauseAsync(Exception failure, CancellationToken stopping, Func<bool>? isFull = null)
    {
        if (!_isInBurst)
        {
            if (LackBehind(failure) is { } lack)
            {
                TellOfPause(lack);
            }
            else
            {
                AcceptFailed(logger, address, failure);
                _hasTold = true;
            }
        }

        return isFull is null ? WaitAsync(stopping) : PauseWhileAsync(isFull, stopping);
    }

    /// <summary>Completes when a connection would no longer use the reserve.</summary>
    public Task PauseForRoomAsync(CancellationToken stopping)
    {
        // Set before the log entry, so that its reader sees it.
        _lacksRoom = true;
        if (!_isInBurst)
        {
            TellOfPause(
                $"the process may have {reserve!.Limit} descriptors, and the last {reserve.Count} are kept for its "
                + "files and threads. Raise the limit by ulimit -n, or by LimitNOFILE= in the unit");
        }

        return PauseWhileAsync(reserve!.IsNext, stopping);
    }

    public void OnQueueEmpty()
    {
        _isInBurst = false;
        _nextPause = s_firstPause;
        if (_hasTold)
        {
            _hasTold = false;
            AcceptResumed(logger, address);
        }
    }

    /// <summary>
    /// Handles a connection that could not be served. Its peer may have left before the first option was set. No
    /// connection may end the loop.
    /// </summary>
    public void OnNotServed(Exception exception)
    {
        if (exception is not SocketException)
        {
            AcceptFailed(logger, address, exception);
        }
    }

    private async Task PauseWhileAsync(Func<bool> isFull, CancellationToken stopping)
    {
        _lacksRoom = true;
        do
        {
            await WaitAsync(stopping).ConfigureAwait(false);
        }
        while (!stopping.IsCancellationRequested && isFull());

        _lacksRoom = false;
        _nextPause = s_firstPause;
    }

    private async Task WaitAsync(CancellationToken stopping)
    {
        _isInBurst = true;
        TimeSpan pause = _nextPause;
        _nextPause = pause * 2 < s_longestPause ? pause * 2 : s_longestPause;
        await Task.Delay(pause, timeProvider, stopping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>The resource that has run out, with the setting that raises it; null if it is none.</summary>
    private string? LackBehind(Exception failure) => failure switch
    {
        // Sockets of .NET do not distinguish the two limits.
        SocketException { SocketErrorCode: SocketError.TooManyOpenSockets } =>
            DescriptorReserve.IsSystemExhausted() ? NoneInSystem : NoneInProcess(),
        SocketException { SocketErrorCode: SocketError.NoBufferSpaceAvailable } => failure.Message,
        Win32Exception { NativeErrorCode: ErrorNumber.TooManyFilesInSystem } => NoneInSystem,
        Win32Exception { NativeErrorCode: ErrorNumber.TooManyFiles } => NoneInProcess(),
        Win32Exception { NativeErrorCode: ErrorNumber.NoSpace } =>
            "the system watches no further socket for this user. Raise the limit by sysctl fs.epoll.max_user_watches",
        Win32Exception { NativeErrorCode: ErrorNumber.OutOfBuffers or ErrorNumber.OutOfMemory } => failure.Message,
        _ => null,
    };

    private string NoneInProcess() =>
        $"the process has none left of its {reserve?.Limit} descriptors. Raise the limit by ulimit -n, or by "
        + "LimitNOFILE= in the unit";

    private void TellOfPause(string reason)
    {
        if (_interval.TryEnter(out long count))
        {
            _hasTold = true;
            AcceptPaused(logger, address, reason, count);
        }
    }

    [LoggerMessage(LogEvents.AcceptPaused, LogLevel.Warning,
        "No further connection is accepted on {Address} for now: {Reason}. Accepting goes on as soon as possible "
        + "({Count} pauses since the last such entry).")]
    private static partial void AcceptPaused(ILogger logger, string address, string reason, long count);

    [LoggerMessage(LogEvents.AcceptResumed, LogLevel.Information,
        "Connections are accepted on {Address} again.")]
    private static partial void AcceptResumed(ILogger logger, string address);

    [LoggerMessage(LogEvents.AcceptFailed, LogLevel.Error,
        "A connection to {Address} could not be taken on.")]
    private static partial void AcceptFailed(ILogger logger, string address, Exception exception);
}
