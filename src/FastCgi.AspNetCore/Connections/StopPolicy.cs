namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Decides how long a stop of the server waits on a connection without requests: a pure rule over time. A web server
/// may have sent a request that is not read yet: on a connection that it has just opened (then nothing but an answer
/// keeps it from showing the browser an error), or on one that it kept. Such a request is served; a further one finds
/// the next instance, or another back end.
/// </summary>
/// <remarks>
/// nginx keeps connections for all its clients, and sends a request on one that is being closed before it sees that. It
/// repeats a GET elsewhere, and answers a POST with 502. So its connections are not closed under it: the last response
/// says that the connection is not to be kept, and a connection that was busy lately is waited on to carry that
/// response.
/// </remarks>
internal struct StopPolicy
{
    /// <summary>
    /// How long a connection may take to bring its first request, or the rest of a record. Generous: a web server that
    /// waits for a processor between connecting and sending is not to be punished.
    /// </summary>
    public static readonly TimeSpan FirstRequestTimeout = TimeSpan.FromSeconds(3);

    /// <summary>
    /// How long nginx may take to use a connection once more: what a busy site does within milliseconds. nginx hardly
    /// needs one that it leaves alone for so long in the very moment of the close.
    /// </summary>
    public static readonly TimeSpan NextRequestTimeout = TimeSpan.FromMilliseconds(250);

    /// <summary>How lately nginx must have used a connection to be expected to use it again.</summary>
    public static readonly TimeSpan BusyTime = TimeSpan.FromSeconds(2);

    private bool? _isNginx;
    private bool _wasBusy;

    public bool IsStopping { get; private set; }

    public readonly bool KnowsPeer => _isNginx is not null;

    /// <summary>The stop begins, on a connection whose last request ended that long ago.</summary>
    public void Begin(TimeSpan idleFor)
    {
        IsStopping = true;
        _wasBusy = idleFor <= BusyTime;
    }

    /// <summary>The first request of a connection tells who sends here.</summary>
    public void LearnPeer(bool keepsConnection, bool isNginx) => _isNginx ??= keepsConnection && isNginx;

    /// <summary>Whether the response that ends now, beside so many others, tells nginx that it is the last.</summary>
    public readonly bool IsLast(bool keepsConnection, int running) =>
        _isNginx == true && keepsConnection && running == 0;

    /// <summary>Whether the peer may be about to send a request, or is in the middle of one.</summary>
    public readonly bool ExpectsRequest(bool hasBegunRequest, bool isBetweenRecords, TimeSpan stoppingFor) =>
        !hasBegunRequest || !isBetweenRecords
        || (_isNginx == true && _wasBusy && stoppingFor < NextRequestTimeout);

    /// <summary>True when the request that was expected has not come in time.</summary>
    public readonly bool HasExpectedInVain(TimeSpan stoppingFor) => IsStopping && stoppingFor > FirstRequestTimeout;
}
