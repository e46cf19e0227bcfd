using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace FastCgi.Client;

/// <summary>
/// The options of <see cref="FastCgiHandler"/>: how to reach an application, and what to send. The handler copies the
/// options when it is created; later changes have no effect on it.
/// </summary>
public sealed class FastCgiHandlerOptions
{
    /// <summary>
    /// The address of the application, as in a web server's configuration: <c>unix:/run/app/app.sock</c>,
    /// <c>127.0.0.1:9000</c>, <c>fastcgi://[::1]:9000</c>, <c>scgi://unix:/run/app/app.sock</c>. No default. With a
    /// <see cref="ConnectCallback"/>, any text that names the connection in messages; it may be empty.
    /// </summary>
    public string Endpoint { get; set; } = "";

    /// <summary>FastCGI or SCGI. Default null: by the endpoint's scheme; FastCGI without a scheme.</summary>
    public FastCgiEndpointProtocol? Protocol { get; set; }

    /// <summary>
    /// Opens the stream of a connection, for example one end of an in-memory pipe. Default null: a socket to
    /// <see cref="Endpoint"/>. The handler disposes the stream.
    /// </summary>
    public Func<FastCgiConnectContext, CancellationToken, ValueTask<Stream>>? ConnectCallback { get; set; }

    /// <summary>
    /// The directory of PHP's scripts as the PHP process sees it, an absolute path. Default null: no scripts, and a
    /// target whose name has one of <see cref="ScriptExtensions"/> fails. If set, SCRIPT_FILENAME, SCRIPT_NAME,
    /// PATH_INFO and DOCUMENT_ROOT are sent as PHP-FPM needs them.
    /// </summary>
    public string? DocumentRoot { get; set; }

    /// <summary>
    /// The extensions of script names, compared byte by byte. Default <c>.php</c>. The path is cut after the first
    /// segment with such an extension; the rest is PATH_INFO. If empty, the whole path is the script, as System.Web
    /// (mono-fastcgi-server4) expects. Without a <see cref="DocumentRoot"/> no target is a script.
    /// </summary>
    public IList<string> ScriptExtensions { get; } = new List<string> { ".php" };

    /// <summary>
    /// The script for a directory, and the root's script for targets without a script. Default <c>index.php</c>. Only
    /// used with <see cref="DocumentRoot"/>.
    /// </summary>
    public string Index { get; set; } = "index.php";

    /// <summary>
    /// Parameters of every request, for example PHP_VALUE. They override those that the request creates.
    /// <see cref="FastCgiRequestOptions.Parameters"/> override these.
    /// </summary>
    public IDictionary<string, string> Parameters { get; } =
        new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// The maximum number of connections at a time, 1 or more. Default 256. Further requests wait for a free one. For
    /// PHP-FPM set it to <c>pm.max_children</c> or less.
    /// </summary>
    public int MaxConnections
    {
        get;
        set => field = value > 0 ? value : throw OutOfRange(value, "MaxConnections is 1 or more.");
    } = 256;

    /// <summary>
    /// Asks the application to keep connections (FCGI_KEEP_CONN, FastCGI 1.0, section 5.1), so that further requests
    /// can reuse them. Default null: true, but false with a <see cref="DocumentRoot"/>, because an idle connection
    /// keeps a child process of PHP-FPM from serving others. SCGI keeps none. A connection that several requests share
    /// (<see cref="MultiplexRequests"/>) is always kept until the last of them has ended.
    /// </summary>
    public bool? KeepConnection { get; set; }

    /// <summary>
    /// The time for which an idle connection is kept. Default 1 minute; <see cref="Timeout.InfiniteTimeSpan"/> = no
    /// limit.
    /// </summary>
    public TimeSpan PooledConnectionIdleTimeout
    {
        get;
        set => field = Duration(value, nameof(PooledConnectionIdleTimeout));
    } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// The age at which a connection takes no more requests. Default <see cref="Timeout.InfiniteTimeSpan"/>: no limit.
    /// </summary>
    public TimeSpan PooledConnectionLifetime
    {
        get;
        set => field = Duration(value, nameof(PooledConnectionLifetime));
    } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The time limit for a new connection, including name resolution. Default 15 seconds;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit except that of the request.
    /// </summary>
    public TimeSpan ConnectTimeout
    {
        get;
        set => field = Duration(value, nameof(ConnectTimeout));
    } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// The time limit from the sent request head to the complete response head. Default
    /// <see cref="Timeout.InfiniteTimeSpan"/>: no limit except <see cref="HttpClient.Timeout"/>.
    /// </summary>
    public TimeSpan ResponseHeadersTimeout
    {
        get;
        set => field = Duration(value, nameof(ResponseHeadersTimeout));
    } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The time limit for the next piece of a response after its head. A longer wait fails the read with
    /// <see cref="FastCgiError.ResponseIdleTimeout"/>. Progress of the request body extends it. Default 100 seconds, as
    /// <see cref="HttpClient.Timeout"/>; <see cref="Timeout.InfiniteTimeSpan"/> for no limit, for example for streams
    /// of rare events. Also the time limit for END_REQUEST after the whole content, so that its connection can be kept.
    /// Does not apply to a response of 101.
    /// </summary>
    public TimeSpan ResponseIdleTimeout
    {
        get;
        set => field = Duration(value, nameof(ResponseIdleTimeout));
    } = TimeSpan.FromSeconds(100);

    /// <summary>The maximum response head in kilobytes (1,024 bytes), 1 or more. Default 64.</summary>
    public int MaxResponseHeadersLength
    {
        get;
        set => field = value is > 0 and <= 1024 * 1024
            ? value
            : throw OutOfRange(value, "MaxResponseHeadersLength is 1 to 1,048,576 kilobytes.");
    } = 64;

    /// <summary>
    /// Allows several requests at a time on one connection, if the application's answer to FCGI_GET_VALUES says that it
    /// can (FCGI_MPXS_CONNS, FastCGI 1.0, section 4.1). Default false. For other applications, and if there is no
    /// answer within <see cref="ConnectTimeout"/>, this option has no effect. With it, <see cref="MaxConnections"/>
    /// limits the requests. An unread response stops the others on its connection when it holds 1 MiB.
    /// </summary>
    public bool MultiplexRequests { get; set; }

    /// <summary>
    /// Receives the application's STDERR in pieces as they come, with their request. The memory is valid during the
    /// call. Default null: STDERR is dropped. SCGI has no STDERR.
    /// </summary>
    public Action<HttpRequestMessage, ReadOnlyMemory<byte>>? StandardError { get; set; }

    /// <summary>
    /// The treatment of a request body of unknown length. Default: buffered if the application needs its length.
    /// </summary>
    public FastCgiUnknownLengthBody UnknownLengthBody { get; set; }

    /// <summary>
    /// Passes on ambiguous header names: those with <c>_</c>, <c>.</c> or other characters than letters, digits and
    /// <c>-</c>. Default false: they are dropped, because X_Forwarded_For and X-Forwarded-For both become
    /// HTTP_X_FORWARDED_FOR.
    /// </summary>
    public bool AllowAmbiguousHeaderNames { get; set; }

    /// <summary>
    /// Passes on the header <c>Proxy</c> as HTTP_PROXY. Default false, because programs take it for the address of
    /// their own proxy (CVE-2016-5385 and others, "httpoxy").
    /// </summary>
    public bool AllowProxyHeader { get; set; }

    /// <summary>
    /// Answers a local redirect (RFC 3875, section 6.2.2: a Location that begins with a slash, and no Status) with the
    /// response of the target, on the same endpoint, at most ten times. Default true. If false, the response is 302
    /// with that Location.
    /// </summary>
    public bool FollowLocalRedirects { get; set; } = true;

    /// <summary>
    /// Creates the meter <c>System.Net.Http</c>, whose instruments <c>http.client.request.duration</c>,
    /// <c>http.client.active_requests</c>, <c>http.client.open_connections</c> and
    /// <c>http.client.request.time_in_queue</c> count these requests as those of <see cref="SocketsHttpHandler"/>.
    /// Default null: a meter of the process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// Writes the trace context into the headers of a request, unless they have it already. Default
    /// <see cref="DistributedContextPropagator.Current"/> when the options are created; null to write none.
    /// </summary>
    public DistributedContextPropagator? ActivityHeadersPropagator { get; set; } =
        DistributedContextPropagator.Current;

    /// <summary>Time for idle connections, lifetimes and timeouts. Default <see cref="TimeProvider.System"/>.</summary>
    public TimeProvider TimeProvider
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = TimeProvider.System;

    private static TimeSpan Duration(TimeSpan value, string name) =>
        value == Timeout.InfiniteTimeSpan || value > TimeSpan.Zero
            ? value
            : throw OutOfRange(value, $"{name} is above zero, or Timeout.InfiniteTimeSpan for no limit.");

    private static ArgumentOutOfRangeException OutOfRange(object value, string message) =>
        new(nameof(value), value, message);
}
