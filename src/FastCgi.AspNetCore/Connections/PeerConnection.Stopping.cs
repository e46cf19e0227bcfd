namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The drain of a stop. A web server may have sent a request that nobody has read yet: on a connection that it has just
/// opened, and then nothing but an answer keeps it from showing the browser an error, or on one that it kept. Such a
/// request is served; a further one finds the next instance, or another back end.
/// </summary>
/// <remarks>
/// nginx keeps connections for all its clients, and sends a request on one that is being closed before it sees that. It
/// repeats a GET elsewhere, and answers a POST with 502. So its connections are not closed under it: the last response
/// says that the connection is not to be kept, and one that was busy lately is waited on to carry that response.
/// </remarks>
internal abstract partial class PeerConnection
{
    /// <summary>
    /// How long a connection may take to bring its first request, or the rest of a record. Generous: a web server that
    /// waits for a processor between connecting and sending is not to be punished.
    /// </summary>
    private static readonly TimeSpan FirstRequestTimeout = TimeSpan.FromSeconds(3);

    /// <summary>
    /// How long nginx may take to use a connection once more, and how lately it must have used it: what a busy site does
    /// within milliseconds. One that it leaves alone for so long is hardly needed in the very moment of the close.
    /// </summary>
    private static readonly TimeSpan NextRequestTimeout = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan BusyTime = TimeSpan.FromSeconds(2);

    // Guarded by the gate.
    private bool? _isNginx;
    private bool _stopping;
    private long _stoppingSince;
    private long _stoppingAt;
    private bool _wasBusy;

    // Bytes may have left the socket and not reached the gate. Written by the reading role, cleared under the gate.
    private bool _receiving;

    /// <summary>Closes as soon as nothing runs and nothing is on its way.</summary>
    public void CloseForStop()
    {
        lock (_gate)
        {
            _stopping = true;
            _stoppingSince = Server.Clock.Now;
            _stoppingAt = Server.TimeProvider.GetTimestamp();
            _wasBusy = Server.Clock.Since(_idleSince) <= BusyTime;
            Cancel(_closeRequestedSource);
            CloseIfIdle();
        }
    }

    /// <summary>
    /// Whether there is, or must be, something to read; whoever reads it looks for the end of the connection again. The
    /// socket is asked before the reader is: what has left the one is with the other.
    /// </summary>
    private bool ExpectsRequest() =>
        !HasBegunRequest || !IsBetweenRecords || HasArrived() || MayBeUsedByNginx();

    private bool MayBeUsedByNginx() => _isNginx == true && _wasBusy
        && Server.TimeProvider.GetElapsedTime(_stoppingAt) < NextRequestTimeout;

    /// <summary>Whether this request, which has just been forgotten, is the last one that nginx is to send here.</summary>
    private bool IsLastOfNginx(RequestSlot slot)
    {
        _isNginx ??= slot.KeepConnection && slot.Request.IsFromNginx;
        return (_stopping || IsClosing) && _isNginx == true && slot.KeepConnection && Requests.Count == 0;
    }

    /// <summary>What was expected has not come; what waits for a thread of ours has. Under the gate.</summary>
    private bool HasExpectedInVain() => _stopping && !_closeStarted
        && Server.Clock.Since(_stoppingSince) > FirstRequestTimeout && !HasArrived();

    private bool HasArrived() => _transport.HasUnread() || Volatile.Read(ref _receiving);
}
