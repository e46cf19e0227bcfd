using Microsoft.AspNetCore.StaticFiles;

namespace FastCgi.Gateway;

/// <summary>Options of a mapped application: how to reach it, and which of its files are sent directly.</summary>
public sealed class FastCgiGatewayOptions
{
    /// <summary>
    /// The directory of the application's scripts and files, an absolute path that exists. The route's mount point
    /// represents it: <c>/blog/a.php</c> of the route <c>/blog/{**path}</c> is <c>a.php</c> in it. Default null: there
    /// are no files, and every request goes to the application.
    /// </summary>
    public string? DocumentRoot { get; set; }

    /// <summary>
    /// The same directory as the PHP process sees it, for example in its container: SCRIPT_FILENAME and DOCUMENT_ROOT
    /// begin with it. Default null: <see cref="DocumentRoot"/>.
    /// </summary>
    public string? ScriptRoot { get; set; }

    /// <summary>
    /// The extensions of script names, compared byte by byte. Default <c>.php</c>. The path is cut after the first
    /// segment with such an extension; the rest is PATH_INFO. The source of such a file is never sent, in any letter
    /// case.
    /// </summary>
    public IList<string> ScriptExtensions { get; } = new List<string> { ".php" };

    /// <summary>
    /// The index files of a directory; the first that exists is used. Default <c>index.php</c>, then <c>index.html</c>.
    /// A directory without one is answered with 403.
    /// </summary>
    public IList<string> Indexes { get; } = new List<string> { "index.php", "index.html" };

    /// <summary>
    /// The script for paths without a file or directory, from the document root, for example <c>/index.php</c>.
    /// Corresponds to nginx's <c>try_files $uri $uri/ /index.php?$args</c>. Default null: 404. A missing script is
    /// always answered with 404.
    /// </summary>
    public string? FrontController { get; set; }

    /// <summary>
    /// Sends files of the document root that are not scripts. Default true. If false, they are answered with 404, for
    /// example because a middleware before the route sends them.
    /// </summary>
    public bool ServeStaticFiles { get; set; } = true;

    /// <summary>
    /// The content type by extension. Default: those of <see cref="FileExtensionContentTypeProvider"/>. Files with
    /// other extensions are not sent, which keeps backups and configuration files private.
    /// </summary>
    public IDictionary<string, string> ContentTypes { get; } = new FileExtensionContentTypeProvider().Mappings;

    /// <summary>
    /// Directories of files that the application may name in its response, for the gateway to send: with the key, a URI
    /// prefix such as <c>/protected/</c>, in X-Accel-Redirect, or with their path in X-Sendfile. The longest prefix
    /// counts. The headers of the response are kept. Default empty: the two headers are removed, with one warning.
    /// </summary>
    public IDictionary<string, string> InternalFiles { get; } =
        new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// Parameters of every request, for example PHP_VALUE. They override those of the gateway, except for those that it
    /// creates from the request (such as REMOTE_USER and SSL_CLIENT_CERT).
    /// </summary>
    public IDictionary<string, string> Parameters { get; } =
        new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// Sets parameters of each request, for example PHP_VALUE or a tenant from a claim of its user; null removes one.
    /// It receives those that the gateway sets in addition to the client's head and <see cref="Parameters"/>, and
    /// overrides all. Header fields of the client become parameters only with the prefix HTTP_. Default null: none.
    /// </summary>
    public Action<HttpContext, IDictionary<string, string?>>? TransformParameters { get; set; }

    /// <summary>
    /// The maximum number of requests that the application serves at a time, 1 or more. Default 256. For PHP-FPM set it
    /// to <c>pm.max_children</c>.
    /// </summary>
    public int MaxConnections
    {
        get;
        set => field = value > 0 ? value : throw OutOfRange(value, "MaxConnections is 1 or more.");
    } = 256;

    /// <summary>
    /// The number of requests that may wait for a connection, 0 or more. Default 1,024. Further ones are answered with
    /// 503.
    /// </summary>
    public int MaxQueuedRequests
    {
        get;
        set => field = value >= 0 ? value : throw OutOfRange(value, "MaxQueuedRequests is 0 or more.");
    } = 1024;

    /// <summary>
    /// Limit for the time in which the application sends nothing: before its response head, from the last piece of the
    /// request, and between two pieces of its response. Also the limit for the wait for one of
    /// <see cref="MaxConnections"/>. Default 60 seconds, as nginx's fastcgi_read_timeout;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit. Before the head the client gets 504; later its connection
    /// is closed. Does not apply to upgraded connections.
    /// </summary>
    public TimeSpan ResponseTimeout
    {
        get;
        set => field = value == Timeout.InfiniteTimeSpan || value > TimeSpan.Zero
            ? value
            : throw OutOfRange(value, "ResponseTimeout is above zero, or Timeout.InfiniteTimeSpan for no limit.");
    } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Changes the options of the handler for the application: protocol, timeouts, limits, or an
    /// <see cref="FastCgiHandlerOptions.ActivityHeadersPropagator"/> that lets the application join this request's
    /// trace. By default the client's own trace headers are passed on. Called once, after the options above were
    /// applied and <see cref="FastCgiHandlerOptions.FollowLocalRedirects"/> was set to false. A document root of the
    /// handler needs a <see cref="DocumentRoot"/>. Default null.
    /// </summary>
    public Action<FastCgiHandlerOptions>? ConfigureHandler { get; set; }

    private static ArgumentOutOfRangeException OutOfRange(object value, string message) =>
        new(nameof(value), value, message);
}
