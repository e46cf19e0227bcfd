namespace FastCgi.Client;

/// <summary>
/// Keys for <see cref="HttpRequestMessage.Options"/>: data of a single request for the application beside its method,
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
    /// Parameters by name. They override all others with the same name; a null value removes a parameter. Names and
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
    /// The target for REQUEST_URI: path and query, undecoded. Default: those of the request's URI, which .NET has
    /// normalised. A gateway sets the target that its own client sent.
    /// </summary>
    public static HttpRequestOptionsKey<string> RequestTarget { get; } = new("FastCgi.RequestTarget");

    /// <summary>
    /// The decoded path at which the application is mounted, as SCRIPT_NAME (RFC 3875, section 4.1.13), for example
    /// <c>/blog</c>. PATH_INFO is the rest of the path, or the whole path if it is elsewhere. Default empty. For a PHP
    /// endpoint it is the prefix that the document root does not have.
    /// </summary>
    public static HttpRequestOptionsKey<string> PathBase { get; } = new("FastCgi.PathBase");

    /// <summary>
    /// The script to run, decoded and below the document root, for example <c>/index.php</c>. The path then does not
    /// choose the script. The part after one of <see cref="FastCgiHandlerOptions.ScriptExtensions"/> is PATH_INFO.
    /// Default: the script in the path.
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
    /// Called before each piece of the request is sent: its head when it has a connection, then each piece of its body,
    /// even of a buffered one. It must not wait.
    /// </summary>
    internal static HttpRequestOptionsKey<Action> OnSending { get; } = new("FastCgi.OnSending");
}
