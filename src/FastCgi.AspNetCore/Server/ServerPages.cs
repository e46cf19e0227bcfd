using System.Net;
using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// Pages that the server answers itself, before the application and its limits: the status page and the ping.
/// </summary>
/// <param name="options">The paths.</param>
/// <param name="status">The status page.</param>
/// <param name="isAllowed">Whether the client at REMOTE_ADDR may read the status; null: every request may.</param>
/// <param name="others">The answer to every other request; null: it is the application's.</param>
internal sealed class ServerPages(
    FastCgiStatusOptions options, ServerPage status, Func<IPAddress?, bool>? isAllowed, ServerPage? others)
{
    private static readonly ServerPage s_forbidden = ServerPage.Fixed(403, "Access denied.\n");
    private static readonly ServerPage s_ping = ServerPage.Fixed(200, "pong");

    private readonly string? _statusPath = options.Path;
    private readonly string? _pingPath = options.PingPath;

    /// <summary>
    /// The page for a request whose params have come; null: the request is the application's. Under the gate.
    /// </summary>
    public ServerPage? Find(CgiRequest request)
    {
        string path = request.Path;
        if (path == _statusPath)
        {
            return isAllowed is null || isAllowed(request.RemoteIpAddress) ? status : s_forbidden;
        }

        return path == _pingPath ? s_ping : others;
    }
}
