namespace FastCgi.AspNetCore;

/// <summary>
/// Pages of the server itself: the status of its requests and connections, and a ping. The server answers them before
/// the application and before <see cref="FastCgiServerLimits.MaxConcurrentRequests"/>. Fields and formats are those of
/// PHP-FPM's <c>pm.status_path</c>. Takes effect at the start of the server.
/// </summary>
public sealed class FastCgiStatusOptions
{
    internal FastCgiStatusOptions()
    {
    }

    /// <summary>
    /// The path of the status page, for instance <c>/status</c>, with or without the path base. Default null = no
    /// status page. The query selects the format: none is text, <c>?json</c>, <c>?html</c>, <c>?xml</c>,
    /// <c>?openmetrics</c>, each also with <c>&amp;full</c> for every running request. A request from an address that
    /// is not in <see cref="AllowedClients"/> is answered with 403.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The path does not begin with <c>/</c>, or contains <c>?</c>, <c>%</c> or a control character.
    /// </exception>
    public string? Path
    {
        get;
        set => field = RequirePath(value, nameof(Path));
    }

    /// <summary>
    /// The path of the ping, for instance <c>/ping</c>, with or without the path base: the server answers <c>pong</c>
    /// to every client. Default null = no ping.
    /// </summary>
    /// <inheritdoc cref="Path" path="/exception"/>
    public string? PingPath
    {
        get;
        set => field = RequirePath(value, nameof(PingPath));
    }

    /// <summary>
    /// An address that serves only these pages, for instance <c>fastcgi://127.0.0.1:9001</c> or
    /// <c>fastcgi://unix:/run/app/status.sock</c>, on its own thread. It allows at most 100 connections, and closes one
    /// without a request after 130 seconds. Default null = none: only the endpoints of the application serve the pages.
    /// The client's address (REMOTE_ADDR) does not matter there.
    /// </summary>
    public string? Endpoint { get; set; }

    /// <summary>
    /// The networks whose clients may read the status page, in the form of
    /// <see cref="FastCgiListenOptions.AllowedClients"/>. On the endpoints of the application the client's address
    /// (REMOTE_ADDR) counts; on <see cref="Endpoint"/>, the address that connects by TCP. Default empty: on the
    /// endpoints of the application no client may read it; on <see cref="Endpoint"/> everyone who can connect, which is
    /// accepted only on loopback and unix sockets.
    /// </summary>
    public IList<IPNetwork> AllowedClients { get; } = [];

    /// <summary>
    /// Mode of the file of <see cref="Endpoint"/>, if it is a unix socket; see
    /// <see cref="FastCgiListenOptions.UnixMode"/>. Default null = 0660.
    /// </summary>
    public UnixFileMode? UnixMode { get; set; }

    /// <summary>
    /// Group of that file, by name or number. For the default null too, see
    /// <see cref="FastCgiListenOptions.UnixGroup"/>.
    /// </summary>
    public string? UnixGroup { get; set; }

    /// <summary>True if there is a page to serve.</summary>
    internal bool HasPages => Path is not null || PingPath is not null;

    private static string? RequirePath(string? value, string name)
    {
        if (string.IsNullOrEmpty(value))
        {
            return null;
        }

        bool isPath = value[0] == '/' && !value.AsSpan().ContainsAny('?', '%') && !value.Any(char.IsControl);
        return isPath
            ? value
            : throw new ArgumentException(
                $"'{value}' is not a path: it must begin with '/' and contain no '?', '%' or control character.",
                name);
    }
}
