namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The drain of a stop. A web server may have sent a request that nobody has read yet: on a connection that it has just
/// opened, and then nothing but an answer keeps it from showing the browser an error, or on one that it kept. Such a
/// request is served; a further one finds the next instance, or another back end.
/// </summary>
internal sealed partial class FastCgiConnection
{
    /// <summary>
    /// How long a connection may take to bring its first request, or the rest of a record. Generous: a web server that
    /// waits for a processor between connecting and sending is not to be punished.
    /// </summary>
    private static readonly TimeSpan FirstRequestTimeout = TimeSpan.FromSeconds(3);

    // Guarded by the gate.
    private bool _stopping;
    private long _stoppingSince;
    private bool _hasBegunRequest;

    // Bytes may have left the socket and not reached the gate. Written by the reading role, cleared under the gate.
    private bool _receiving;

    /// <summary>Closes as soon as nothing runs and nothing is on its way.</summary>
    public void CloseForStop()
    {
        lock (_gate)
        {
            _stopping = true;
            _stoppingSince = _server.Clock.Now;
            Cancel(_closeRequestedSource);
            CloseIfIdle();
        }
    }

    /// <summary>
    /// Whether there is, or must be, something to read; whoever reads it looks for the end of the connection again. The
    /// socket is asked before the reader is: what has left the one is with the other.
    /// </summary>
    private bool ExpectsRequest() =>
        !_hasBegunRequest || !_records.IsBetweenRecords || HasArrived();

    /// <summary>What was expected has not come; what waits for a thread of ours has. Under the gate.</summary>
    private bool HasExpectedInVain() => _stopping && !_closeStarted
        && _server.Clock.Since(_stoppingSince) > FirstRequestTimeout && !HasArrived();

    private bool HasArrived() => _transport.HasUnread() || Volatile.Read(ref _receiving);
}
