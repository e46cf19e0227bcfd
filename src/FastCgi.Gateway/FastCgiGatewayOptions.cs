using Microsoft.AspNetCore.StaticFiles;

namespace FastCgi.Gateway;

/// <summary>How a mapped application is reached, and which files of it are sent without it.</summary>
public sealed class FastCgiGatewayOptions
{
    /// <summary>
    /// The directory of the application's scripts and files, an absolute path that exists. The route's mount point
    /// stands for it: <c>/blog/a.php</c> of the route <c>/blog/{**path}</c> is <c>a.php</c> in it. Default null: there
    /// are no files, and every request goes to the application.
    /// </summary>
    public string? DocumentRoot { get; set; }

    /// <summary>
    /// The same directory as the PHP process sees it, for example in its container: SCRIPT_FILENAME and DOCUMENT_ROOT
    /// begin with it. Default null: <see cref="DocumentRoot"/>.
    /// </summary>
    public string? ScriptRoot { get; set; }

    /// <summary>
    /// The ends of script names, compared byte by byte. Default <c>.php</c>. The path is cut behind the first segment
    /// that has one; the rest is PATH_INFO. The source of such a file is never sent, in whatever letter case.
    /// </summary>
    public IList<string> ScriptExtensions { get; } = new List<string> { ".php" };

    /// <summary>
    /// The files that stand for a directory, the first that exists. Default <c>index.php</c>, then <c>index.html</c>.
    /// A directory that has none is answered with 403.
    /// </summary>
    public IList<string> Indexes { get; } = new List<string> { "index.php", "index.html" };

    /// <summary>
    /// The script for paths that name no file and no directory, from the document root on, for example
    /// <c>/index.php</c>. It is <c>try_files $uri $uri/ /index.php?$args</c> of nginx. Default null: 404.
    /// A script that does not exist is answered with 404 in any case.
    /// </summary>
    public string? FrontController { get; set; }

    /// <summary>
    /// Sends files of the document root that are no scripts. Default true. False: they are answered with 404, for
    /// example because a middleware in front of the route sends them.
    /// </summary>
    public bool ServeStaticFiles { get; set; } = true;

    /// <summary>
    /// The content type by extension. Default: those of <see cref="FileExtensionContentTypeProvider"/>. Files with
    /// other extensions are not sent, which keeps backups and configuration files private.
    /// </summary>
    public IDictionary<string, string> ContentTypes { get; } = new FileExtensionContentTypeProvider().Mappings;

    /// <summary>
    /// Directories whose files the application may name in its response, for the gateway to send: by the key, a URI
    /// prefix such as <c>/protected/</c>, in X-Accel-Redirect, or by their path in X-Sendfile. The longest prefix
    /// counts. The headers of the response stay. Default empty: the two headers are removed, with one warning.
    /// </summary>
    public IDictionary<string, string> InternalFiles { get; } =
        new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// Parameters of every request, for example PHP_VALUE. They win over those of the gateway, except for those that
    /// it writes anew from the request (REMOTE_USER, SSL_CLIENT_CERT and their like).
    /// </summary>
    public IDictionary<string, string> Parameters { get; } =
        new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// Sets parameters of each request, for example PHP_VALUE or a tenant from a claim of its user; null removes one.
    /// It sees those that the gateway sets beside the client's head and <see cref="Parameters"/>, and wins over all. No
    /// header of the client becomes a parameter without the prefix HTTP_. Default null: none.
    /// </summary>
    public Action<HttpContext, IDictionary<string, string?>>? TransformParameters { get; set; }

    /// <summary>
    /// The most requests that the application serves at a time, 1 or more. Default 256. For PHP-FPM set it to
    /// <c>pm.max_children</c>.
    /// </summary>
    public int MaxConnections
    {
        get;
        set => field = value > 0 ? value : throw OutOfRange(value, "MaxConnections is 1 or more.");
    } = 256;

    /// <summary>
    /// How many more requests wait for a connection, 0 or more. Default 1,024. Further ones are answered with 503.
    /// </summary>
    public int MaxQueuedRequests
    {
        get;
        set => field = value >= 0 ? value : throw OutOfRange(value, "MaxQueuedRequests is 0 or more.");
    } = 1024;

    /// <summary>
    /// How long the application may send nothing: before its response head, counted from the last piece of the request,
    /// and between two pieces of its response. Also how long a request may wait for one of
    /// <see cref="MaxConnections"/>. Default 60 seconds, as fastcgi_read_timeout of nginx;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit. Before the head the client gets 504, later its connection
    /// ends. An upgraded connection may be silent for as long as it wants.
    /// </summary>
    public TimeSpan ResponseTimeout
    {
        get;
        set => field = value == Timeout.InfiniteTimeSpan || value > TimeSpan.Zero
            ? value
            : throw OutOfRange(value, "ResponseTimeout is above zero, or Timeout.InfiniteTimeSpan for no limit.");
    } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// A last word on the handler that reaches the application: protocol, timeouts, limits, or an
    /// <see cref="FastCgiHandlerOptions.ActivityHeadersPropagator"/> that lets the application join the trace of this
    /// request; by default the client's own trace headers pass. It runs once, after the options above were applied and
    /// <see cref="FastCgiHandlerOptions.FollowLocalRedirects"/> was set to false. A document root of the handler
    /// needs a <see cref="DocumentRoot"/>. Default null.
    /// </summary>
    public Action<FastCgiHandlerOptions>? ConfigureHandler { get; set; }

    private static ArgumentOutOfRangeException OutOfRange(object value, string message) =>
        new(nameof(value), value, message);
}
