using FastCgi.AspNetCore.Connections.Wire;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Decides how long a stop of the server waits on a connection without requests: a pure rule over time. A web server
/// may have sent a request that is not read yet, on a new connection or on a kept one. On a new connection, only an
/// answer keeps the browser from seeing an error. Such a request is served; a later one goes to the next instance or
/// another back end.
/// </summary>
/// <remarks>
/// nginx shares its kept connections among all clients, and may send a request on a connection before it sees the
/// close. It repeats a GET elsewhere, but answers a POST with 502. So the server does not close nginx's connections:
/// the last response tells nginx not to keep the connection. If no request runs, nginx is asked to close it, see
/// <see cref="ResponseEnd.ConnectionAlone"/>.
/// </remarks>
internal struct StopPolicy
{
    /// <summary>
    /// Limit for the first request of a connection, the rest of a record, or the close that nginx was asked for. Long
    /// enough for a web server that waits for a processor.
    /// </summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(3);

    private bool? _isNginx;

    public bool IsStopping { get; private set; }

    public readonly bool KnowsPeer => _isNginx is not null;

    /// <summary>True if the peer is nginx and keeps the connection.</summary>
    public readonly bool IsKeptByNginx => _isNginx == true;

    public void Begin() => IsStopping = true;

    /// <summary>Notes the kind of peer from the first request, or again if the peer mixes requests later.</summary>
    public void LearnPeer(bool keepsConnection, bool isNginx) => _isNginx = keepsConnection && isNginx;

    /// <summary>True if the response that ends now must tell nginx that it is the last one of the connection.</summary>
    public readonly bool IsLast(bool keepsConnection, int running) => IsKeptByNginx && keepsConnection && running == 0;

    /// <summary>True if the peer may be about to send a request, or has sent a part of one.</summary>
    public readonly bool ExpectsRequest(bool hasBegunRequest, bool isBetweenRecords) =>
        !hasBegunRequest || !isBetweenRecords || IsKeptByNginx;

    /// <summary>True if the expected request or close has not come in time.</summary>
    public readonly bool HasExpectedInVain(TimeSpan stoppingFor) => IsStopping && stoppingFor > LongestWait;
}
