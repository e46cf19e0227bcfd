namespace FastCgi.Client;

/// <summary>
/// Keys for <see cref="HttpRequestMessage.Options"/>: what a single request says to the application beside its method,
/// target, headers and body.
/// </summary>
/// <example>
/// <code>
/// request.Options.Set(FastCgiRequestOptions.RemoteAddress, IPAddress.Parse("203.0.113.7"));
/// </code>
/// </example>
public static class FastCgiRequestOptions
{
    /// <summary>
    /// Parameters by name, which win over all others of the same name. A null value removes a parameter. Names and
    /// values are sent in UTF-8; a NUL in either is refused. The target of a local redirect has its own QUERY_STRING,
    /// PATH_INFO and DOCUMENT_URI.
    /// </summary>
    public static HttpRequestOptionsKey<IReadOnlyDictionary<string, string?>> Parameters { get; } =
        new("FastCgi.Parameters");

    /// <summary>
    /// The role (FastCGI 1.0, section 6). Default <see cref="FastCgiRole.Responder"/>; SCGI has none.
    /// </summary>
    public static HttpRequestOptionsKey<FastCgiRole> Role { get; } = new("FastCgi.Role");

    /// <summary>
    /// The target as it goes into REQUEST_URI: path and query, undecoded. Default: those of the request's URI, which
    /// .NET has normalised. A gateway sets the target that its own client sent.
    /// </summary>
    public static HttpRequestOptionsKey<string> RequestTarget { get; } = new("FastCgi.RequestTarget");

    /// <summary>
    /// The decoded path at which the application is mounted, as SCRIPT_NAME (RFC 3875, section 4.1.13), for example
    /// <c>/blog</c>; PATH_INFO is the rest of the path, or all of it if the path is elsewhere. Default empty. For a PHP
    /// endpoint it is the prefix that the document root does not have.
    /// </summary>
    public static HttpRequestOptionsKey<string> PathBase { get; } = new("FastCgi.PathBase");

    /// <summary>
    /// The script to run, decoded and below the document root, for example <c>/index.php</c>; the path then plays no
    /// part in the choice. What follows one of <see cref="FastCgiHandlerOptions.ScriptExtensions"/> is PATH_INFO.
    /// Default: the script that the path names.
    /// </summary>
    public static HttpRequestOptionsKey<string> ScriptName { get; } = new("FastCgi.ScriptName");

    /// <summary>The client's address, as REMOTE_ADDR. Default 127.0.0.1.</summary>
    public static HttpRequestOptionsKey<IPAddress> RemoteAddress { get; } = new("FastCgi.RemoteAddress");

    /// <summary>The client's port, as REMOTE_PORT. Default: no such parameter.</summary>
    public static HttpRequestOptionsKey<int> RemotePort { get; } = new("FastCgi.RemotePort");

    /// <summary>The address that the client connected to, as SERVER_ADDR. Default: no such parameter.</summary>
    public static HttpRequestOptionsKey<IPAddress> LocalAddress { get; } = new("FastCgi.LocalAddress");

    /// <summary>
    /// The port that the client connected to, as SERVER_PORT. Default: the port of the request's URI.
    /// </summary>
    public static HttpRequestOptionsKey<int> LocalPort { get; } = new("FastCgi.LocalPort");

    /// <summary>
    /// Runs each time a piece of the request is about to leave: its head when it has a connection, then each piece of
    /// its body, also of one that was buffered. It must not wait.
    /// </summary>
    internal static HttpRequestOptionsKey<Action> OnSending { get; } = new("FastCgi.OnSending");
}
