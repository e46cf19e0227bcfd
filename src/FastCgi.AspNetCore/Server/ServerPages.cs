using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.AspNetCore.Server;

/// <summary>The status and ping pages of the server, which bypass the application and its limits.</summary>
/// <param name="options">The paths.</param>
/// <param name="status">The status page.</param>
/// <param name="isAllowed">Decides whether the client at REMOTE_ADDR may read the status; null for all.</param>
/// <param name="others">The answer to all other requests; null to leave them to the application.</param>
internal sealed class ServerPages(
    FastCgiStatusOptions options,
    Func<string, ServerAnswer> status,
    Func<IPAddress?, bool>? isAllowed,
    ServerAnswer? others)
{
    private static readonly Func<string, ServerAnswer> s_forbidden = Fixed(ServerAnswer.Text(403, "Access denied.\n"));
    private static readonly Func<string, ServerAnswer> s_ping = Fixed(ServerAnswer.Text(200, "pong"));

    private readonly Func<string, ServerAnswer>? _others = others is null ? null : Fixed(others);

    private readonly string? _statusPath = options.Path;
    private readonly string? _pingPath = options.PingPath;

    /// <summary>
    /// Finds the page for a request whose params are complete; null if the request is the application's. Under the
    /// gate. The page answers a raw query (empty, or with its question mark), and is called without a lock.
    /// </summary>
    public Func<string, ServerAnswer>? Find(CgiRequest request)
    {
        if (IsAt(request, _statusPath))
        {
            return isAllowed is null || isAllowed(request.RemoteIpAddress) ? status : s_forbidden;
        }

        return IsAt(request, _pingPath) ? s_ping : _others;
    }

    /// <summary>Compares with and without the path base: SCRIPT_NAME, taken for the base, may be the page.</summary>
    private static bool IsAt(CgiRequest request, string? page) =>
        page is not null
        && (request.Path == page
            || (request.PathBase.Length > 0
                && page.Length == request.PathBase.Length + request.Path.Length
                && page.StartsWith(request.PathBase, StringComparison.Ordinal)
                && page.EndsWith(request.Path, StringComparison.Ordinal)));

    private static Func<string, ServerAnswer> Fixed(ServerAnswer answer) => _ => answer;
}

/// <summary>A complete answer of the server itself. It must not be cached.</summary>
internal sealed record ServerAnswer(int StatusCode, string ContentType, byte[] Body)
{
    public static ServerAnswer Text(int statusCode, string text) =>
        new(statusCode, "text/plain;charset=UTF-8", Encoding.UTF8.GetBytes(text));

    /// <summary>The response head. The status is first, because an authorizer's must be.</summary>
    public string Head => string.Create(
        CultureInfo.InvariantCulture,
        $"Status: {StatusCode} {ReasonPhrases.GetReasonPhrase(StatusCode)}\r\n" +
        $"Expires: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
        $"Cache-Control: no-cache, no-store, must-revalidate, max-age=0\r\n" +
        $"Content-Type: {ContentType}\r\nContent-Length: {Body.Length}\r\n\r\n");
}
