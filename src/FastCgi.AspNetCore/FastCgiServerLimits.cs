using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore;

/// <summary>
/// The limits of <see cref="FastCgiServerOptions"/>. Names and defaults are Kestrel's if it has the same limit. Each
/// limit takes effect at the start of the server and at a reload. A value out of range throws
/// <see cref="ArgumentOutOfRangeException"/>.
/// </summary>
public sealed class FastCgiServerLimits
{
    private const int OwnParameters = 200;

    private int? _maxRequestParameterCount;

    internal FastCgiServerLimits()
    {
    }

    /// <summary>
    /// Bytes of a request body; a longer one is answered with 413. Default 30,000,000, which is Kestrel's; null = no
    /// limit; 0 = no body. One request's own limit is set by
    /// <see cref="Microsoft.AspNetCore.Http.Features.IHttpMaxRequestBodySizeFeature"/>. The web server has a limit too
    /// (nginx: client_max_body_size, 1 MiB by default).
    /// </summary>
    public long? MaxRequestBodySize
    {
        get;
        set => field = NotNegative(value);
    } = 30_000_000;

    /// <summary>
    /// Bytes of a request body that wait in memory for the application. Beyond that, the socket is no longer read. If
    /// other requests share the connection, or the response waits for the body, the rest goes to a temporary file
    /// instead, up to <see cref="MaxRequestBodySize"/>. Default 1 MiB, which is Kestrel's; null = no limit; at least 1.
    /// After more than a second, an unread socket is read on into the file if another request may follow the body:
    /// FCGI_KEEP_CONN is set, the peer is not nginx, and <see cref="MaxConcurrentRequestsPerConnection"/> is more than
    /// 1. If no file can be written, a warning is logged and the socket waits; a body beside other requests fails. A
    /// reload does not change it.
    /// </summary>
    public long? MaxRequestBufferSize
    {
        get;
        set => field = Positive(value);
    } = 1024 * 1024;

    /// <summary>
    /// The minimum rate of a request body in bytes per second, after a grace period; a slower body fails its reader
    /// with 408. Only time in which the application waits for the body counts. Default 240 bytes per second after 5
    /// seconds, which is Kestrel's; null = no limit. Checked once a second. One request's own rate is set by
    /// <see cref="Microsoft.AspNetCore.Server.Kestrel.Core.Features.IHttpMinRequestBodyDataRateFeature"/>. In the
    /// configuration <c>MinRequestBodyDataRate</c> is null, or a section with <c>BytesPerSecond</c> and
    /// <c>GracePeriod</c>.
    /// </summary>
    public MinDataRate? MinRequestBodyDataRate { get; set; } =
        new(bytesPerSecond: 240, gracePeriod: TimeSpan.FromSeconds(5));

    /// <summary>
    /// The minimum rate in bytes per second at which a response is taken, after a grace period. If it is taken more
    /// slowly, the connection is closed and the requests on it are aborted. Only time in which a write waits for the
    /// web server counts, against all bytes written so far. Default null = no limit, unlike Kestrel (240 bytes per
    /// second after 5 seconds): the web server buffers the response, and itself drops slow clients (nginx:
    /// send_timeout). Checked once a second. One request's own rate is set by
    /// <see cref="Microsoft.AspNetCore.Server.Kestrel.Core.Features.IHttpMinResponseDataRateFeature"/>. In the
    /// configuration as <see cref="MinRequestBodyDataRate"/>.
    /// </summary>
    public MinDataRate? MinResponseDataRate { get; set; }

    /// <summary>
    /// Unsent bytes of a connection above which a flush waits for the web server. Default 64 KiB, which is Kestrel's;
    /// null = a flush never waits; 0 = each flush waits until all is sent. If more unsent bytes than this belong to
    /// answers that have ended, the connection is not read until the web server has taken half of them.
    /// </summary>
    public long? MaxResponseBufferSize
    {
        get;
        set => field = NotNegative(value);
    } = 64 * 1024;

    /// <summary>
    /// Bytes of all header lines of a request, as in HTTP/1.1: for each non-empty HTTP_ param the name without
    /// <c>HTTP_</c>, the value, and 4 more. Beyond that, the answer is 431. Default 32 KiB, which is Kestrel's; at
    /// least 1.
    /// </summary>
    public int MaxRequestHeadersTotalSize
    {
        get;
        set => field = Positive(value);
    } = 32 * 1024;

    /// <summary>
    /// Header lines of a request, without empty ones. Beyond that, the answer is 431. Default 100, as Kestrel; at least
    /// 1. The default of <see cref="MaxRequestParameterCount"/> depends on it.
    /// </summary>
    public int MaxRequestHeaderCount
    {
        get;
        set => field = Positive(value);
    } = 100;

    /// <summary>
    /// Bytes of the request target with its query. Beyond that, the answer is 414. Default 8 KiB, which is Kestrel's
    /// limit for the request line; at least 1.
    /// </summary>
    public int MaxRequestLineSize
    {
        get;
        set => field = Positive(value);
    } = 8 * 1024;

    /// <summary>
    /// Connections that are upgraded at the same time, for instance to WebSockets. A further upgrade fails with
    /// <see cref="InvalidOperationException"/>. As in Kestrel, they do not count for
    /// <see cref="MaxConcurrentConnections"/>. Default null = no limit; at least 0, which allows none.
    /// </summary>
    public long? MaxConcurrentUpgradedConnections
    {
        get;
        set => field = NotNegative(value);
    }

    /// <summary>
    /// Bytes of all params of a request on the wire, including the web server's own. Beyond that, the answer is 431,
    /// and no part of a param that does not fit is kept. Default 128 KiB (nginx itself sends at most 64 KiB); at least
    /// 1.
    /// </summary>
    public int MaxRequestParametersTotalSize
    {
        get;
        set => field = Positive(value);
    } = 128 * 1024;

    /// <summary>
    /// Params of a request: header lines and the web server's own. Beyond that, the answer is 431. Default
    /// <see cref="MaxRequestHeaderCount"/> + 200, because web servers send about forty params of their own. At least 1.
    /// </summary>
    public int MaxRequestParameterCount
    {
        get => _maxRequestParameterCount ?? (int)Math.Min(int.MaxValue, (long)MaxRequestHeaderCount + OwnParameters);
        set => _maxRequestParameterCount = Positive(value);
    }

    /// <summary>
    /// Time that a connection may be idle between two requests. Default <see cref="Timeout.InfiniteTimeSpan"/>: the web
    /// server closes the connections that it no longer needs. If this server closes first, a POST that is already on
    /// its way is lost, and the client gets 502. This does not happen behind nginx, which is asked to close the
    /// connection and has three seconds for it. Precision one second.
    /// </summary>
    public TimeSpan KeepAliveTimeout
    {
        get;
        set => field = PositiveTime(value);
    } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Time from BEGIN_REQUEST to the end of the params. Beyond that, the answer is 408. Does not include the wait for
    /// a body, see <see cref="MinRequestBodyDataRate"/>. Default 30 s, which is Kestrel's;
    /// <see cref="Timeout.InfiniteTimeSpan"/> = no limit. Precision one second.
    /// </summary>
    public TimeSpan RequestHeadersTimeout
    {
        get;
        set => field = PositiveTime(value);
    } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Time from BEGIN_REQUEST to the end of the response. Beyond that, RequestAborted fires, and the server answers
    /// 504 at once if no part of the response has left. Otherwise it aborts the response, so that the web server sees
    /// it as broken. The handler continues until it returns: watch RequestAborted. Does not apply to upgraded
    /// connections. Default <see cref="Timeout.InfiniteTimeSpan"/> = no limit. Precision one second.
    /// </summary>
    public TimeSpan RequestTimeout
    {
        get;
        set => field = PositiveTime(value);
    } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Time that an unread request body may continue to arrive after the response is sent, before the connection is
    /// closed. Default 5 s, which is what Kestrel allows; <see cref="Timeout.InfiniteTimeSpan"/> = no limit. If no
    /// bytes come for 150 ms, the request ends anyway. While the application reads the body after its response, only
    /// the time since the last byte counts, and a read that waits longer fails with 408.
    /// </summary>
    public TimeSpan RequestBodyDrainTimeout
    {
        get;
        set => field = PositiveTime(value);
    } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Time in which a web server that has something to receive must take some of it. Beyond that, its connection is
    /// closed and the requests on it are aborted. Default 5 minutes: web servers themselves drop a client that does not
    /// read (nginx after 60 s), and this server sees progress only when the socket's buffers have room again. Also the
    /// time in which the application must read some of the bytes that the client of an upgraded connection sent before
    /// it left. <see cref="Timeout.InfiniteTimeSpan"/> = no limit. Precision one second.
    /// </summary>
    public TimeSpan SendTimeout
    {
        get;
        set => field = PositiveTime(value);
    } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// Open connections that are not upgraded. Further ones are closed at once. Default null = no limit, as in Kestrel;
    /// at least 1. Note that a web server may open one for each request, and may open the next one before the last is
    /// closed. With any limit, connections leave descriptors to the application. Half of those that are free at the
    /// start (<c>ulimit -n</c>, <c>LimitNOFILE=</c> of a unit) are kept for its files and threads, at least 32 and at
    /// most 1,024. Further connections wait in the backlog until others end.
    /// </summary>
    public long? MaxConcurrentConnections
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// Requests at the same time in the whole server. Further ones are answered with 503 and FCGI_OVERLOADED (FastCGI
    /// 1.0, section 5.5). A request counts until the application has returned, even if its peer aborts it earlier.
    /// Callbacks of OnCompleted do not count. Default null = no limit; at least 1.
    /// </summary>
    public long? MaxConcurrentRequests
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// Requests at the same time on one connection. Further ones are answered with 503 and FCGI_OVERLOADED. A request
    /// that its peer aborts counts until the application has returned. Default 100; at least 1. Only a multiplexing web
    /// server has more than one (HAProxy with <c>option mpxs-conns</c>); 1 tells it not to multiplex (FCGI_MPXS_CONNS).
    /// </summary>
    public int MaxConcurrentRequestsPerConnection
    {
        get;
        set => field = Positive(value);
    } = 100;

    private static long? NotNegative(long? value, [CallerMemberName] string? name = null) =>
        value is null or >= 0 ? value : throw OutOfRange(name, value, "null (no limit) or at least 0");

    private static long? Positive(long? value, [CallerMemberName] string? name = null) =>
        value is null or > 0 ? value : throw OutOfRange(name, value, "null (no limit) or at least 1");

    private static int Positive(int value, [CallerMemberName] string? name = null) =>
        value > 0 ? value : throw OutOfRange(name, value, "at least 1");

    private static TimeSpan PositiveTime(TimeSpan value, [CallerMemberName] string? name = null) =>
        value > TimeSpan.Zero || value == Timeout.InfiniteTimeSpan
            ? value
            : throw OutOfRange(name, value, "longer than zero, or Timeout.InfiniteTimeSpan");

    private static ArgumentOutOfRangeException OutOfRange(string? name, object? value, string accepted) =>
        new(name, value, $"{name} must be {accepted}.");
}
