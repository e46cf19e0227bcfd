using FastCgi.AspNetCore.Connections.Wire;

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
/// says that the connection is not to be kept, and on a connection without a request nginx is asked to close it, see
/// <see cref="IWireProtocol.WriteCloseHint"/>.
/// </remarks>
internal struct StopPolicy
{
    /// <summary>
    /// How long a connection may take to bring its first request, the rest of a record, or the close that nginx was
    /// asked for. Generous: a web server that waits for a processor is not to be punished.
    /// </summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(3);

    private bool? _isNginx;

    public bool IsStopping { get; private set; }

    public readonly bool KnowsPeer => _isNginx is not null;

    /// <summary>The peer is nginx, and keeps the connection.</summary>
    public readonly bool IsKeptByNginx => _isNginx == true;

    /// <summary>The stop begins.</summary>
    public void Begin() => IsStopping = true;

    /// <summary>The first request of a connection tells who sends here, unless it mixes requests later.</summary>
    public void LearnPeer(bool keepsConnection, bool isNginx) => _isNginx = keepsConnection && isNginx;

    /// <summary>Whether the response that ends now, beside so many others, tells nginx that it is the last.</summary>
    public readonly bool IsLast(bool keepsConnection, int running) => IsKeptByNginx && keepsConnection && running == 0;

    /// <summary>Whether the peer may be about to send a request, or is in the middle of one.</summary>
    public readonly bool ExpectsRequest(bool hasBegunRequest, bool isBetweenRecords) =>
        !hasBegunRequest || !isBetweenRecords || IsKeptByNginx;

    /// <summary>True when what was expected has not come in time.</summary>
    public readonly bool HasExpectedInVain(TimeSpan stoppingFor) => IsStopping && stoppingFor > LongestWait;
}
