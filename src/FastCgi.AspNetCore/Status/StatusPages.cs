using System.Net;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Status;

/// <summary>Finds the status page and the ping by the path of a request.</summary>
/// <param name="options">The paths.</param>
/// <param name="source">The figures.</param>
/// <param name="isAllowed">Whether the client at REMOTE_ADDR may read the status; null: every request may.</param>
/// <param name="others">The answer to every other request; null: it is the application's.</param>
internal sealed class StatusPages(
    FastCgiStatusOptions options, IStatusSource source, Func<IPAddress?, bool>? isAllowed, ServerPage? others)
    : IServerPages
{
    private static readonly FixedPage s_forbidden = new(403, "Access denied.\n");

    private readonly string? _statusPath = options.Path;
    private readonly string? _pingPath = options.PingPath;
    private readonly StatusPage _status = new(source);
    private readonly FixedPage _ping = new(200, "pong");

    public ServerPage? Find(CgiRequest request)
    {
        string path = request.Path;
        if (path == _statusPath)
        {
            return isAllowed is null || isAllowed(request.RemoteIpAddress) ? _status : s_forbidden;
        }

        return path == _pingPath ? _ping : others;
    }
}
