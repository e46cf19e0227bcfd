using System.Numerics;
using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Listening;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore;

/// <summary>
/// Options of the FastCGI server. Shapes, names and defaults follow Kestrel's. All of them take effect at the start of
/// the server. Endpoints and <see cref="Limits"/> also take effect at a reload by systemd.
/// </summary>
public sealed class FastCgiServerOptions
{
    private readonly List<FastCgiListenOptions> _listenOptions = [];
    private Action<FastCgiListenOptions> _endpointDefaults = static _ => { };
    private ServerSettings? _settings;

    /// <summary>The limits.</summary>
    public FastCgiServerLimits Limits { get; } = new();

    /// <summary>The status page and the ping. Off by default.</summary>
    public FastCgiStatusOptions Status { get; } = new();

    /// <summary>
    /// Allows synchronous Read, Write and Flush on the bodies. Default false, because they block a thread. One
    /// request's own setting is
    /// <see cref="Microsoft.AspNetCore.Http.Features.IHttpBodyControlFeature.AllowSynchronousIO"/>.
    /// </summary>
    public bool AllowSynchronousIO { get; set; }

    /// <summary>
    /// Shows <c>Forwarded</c>, <c>X-Forwarded-*</c>, <c>X-Real-IP</c> and <c>X-Original-*</c> in the request headers.
    /// Default false: they are left out, because web servers pass on the client's own, and
    /// <see cref="HttpRequest.Scheme"/>, <see cref="HttpRequest.Host"/> and
    /// <see cref="ConnectionInfo.RemoteIpAddress"/> are right without them. <see cref="IFastCgiRequestFeature"/> has
    /// them in any case. Set it only if the web server sets these headers itself, for instance behind another proxy. A
    /// request without a readable REMOTE_ADDR is then answered with 400, because <c>UseForwardedHeaders</c> trusts a
    /// client without an address. The client on a unix socket of the web server (<c>unix:</c>) has no address, and is
    /// accepted.
    /// </summary>
    public bool AllowForwardedHeaders { get; set; }

    /// <summary>Adds <c>Server: FastCgi.AspNetCore</c> to responses. Default false: web servers add theirs.</summary>
    public bool AddServerHeader { get; set; }

    /// <summary>
    /// Creates new strings for each request instead of reusing those of the last request if the bytes are equal.
    /// Default false.
    /// </summary>
    public bool DisableStringReuse { get; set; }

    /// <summary>
    /// The encoding of a request header's value, by the header's name in its usual spelling (<c>User-Agent</c>,
    /// <c>X-My-Own</c>), in whatever case the application reads it. Default UTF-8, also if it returns null.
    /// </summary>
    public Func<string, Encoding?>? RequestHeaderEncodingSelector { get; set; }

    /// <summary>
    /// The encoding of a response header's value, by the header's name. Default ASCII, also if it returns null; any
    /// other character then throws <see cref="InvalidOperationException"/>.
    /// </summary>
    public Func<string, Encoding?>? ResponseHeaderEncodingSelector { get; set; }

    /// <summary>The source of socket readiness. Default: epoll on Linux, otherwise System.Net.Sockets.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a transport.</exception>
    public FastCgiTransport Transport
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Not a transport.");
    }

    /// <summary>
    /// Threads that receive requests and run the application; <see cref="FastCgiTransport.Epoll"/> only. Default null:
    /// one thread, as many as cores when short requests fill it, and more while handlers block. A number, at least 1,
    /// fixes how many threads serve. A thread that a handler blocks for longer than about 20 milliseconds is replaced
    /// in addition, so that other requests, bodies and aborts still arrive. If handlers block each replacement at once,
    /// twice as many threads are added each time, up to 64 at once. At most 1024 threads are added; one warning is
    /// logged at that limit. Takes effect at the start.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int? ThreadCount
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// Time after which a running request is named in the log, once: with method, path, age, and what it waits for, if
    /// known. A Warning in the category <c>FastCgi.AspNetCore.SlowRequests</c>; the status page counts them. The time
    /// is from BEGIN_REQUEST to the end of the response. Does not apply to upgraded connections. Default null = never;
    /// otherwise longer than zero. Precision one second.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan? SlowRequestAfter
    {
        get;
        set => field = PositiveTime(value);
    }

    /// <summary>
    /// Time without a request and without an open connection after which the process exits, if all its sockets were
    /// passed to it: systemd or the web server keeps them, and starts it again for the next request. No request is
    /// lost. Web servers with kept connections close them first (nginx after <c>keepalive_timeout</c>, 60 s). Short
    /// connections without a request do not count, such as those of systemd's watchdog. Up to a tenth is added at
    /// random, so that many processes do not exit together. Default null = never; otherwise longer than zero. Precision
    /// one second.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan? ExitWhenIdleFor
    {
        get;
        set => field = PositiveTime(value);
    }

    /// <summary>
    /// Requests after which the process exits and is replaced, under the conditions of <see cref="ExitWhenIdleFor"/>:
    /// running requests end first. Default null = never; otherwise at least 1.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public long? ExitAfterRequests
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// Bytes of the process in memory (its working set) above which it exits and is replaced, under the conditions of
    /// <see cref="ExitWhenIdleFor"/>. Default null = never; otherwise at least 1.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public long? ExitAboveMemory
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// The param for the request's <see cref="HttpContext.TraceIdentifier"/>, for instance <c>REQUEST_ID</c> with
    /// nginx's <c>fastcgi_param REQUEST_ID $request_id;</c>. Then the logs of the web server and the application use
    /// the same identifier. A value that is empty, longer than 128 bytes or not printable ASCII is ignored. Default
    /// null = the server creates identifiers.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The name begins with <c>HTTP_</c>: any client can send such a param.
    /// </exception>
    public string? TraceIdentifierParameter
    {
        get;
        set => field = ClientMadeParam.Refuse(value, nameof(TraceIdentifierParameter), "REQUEST_ID");
    }

    /// <summary>
    /// The path under which the web server has mounted the application, for instance <c>/app</c>. Default empty. The
    /// param ASPNETCORE_PATHBASE, which only the web server's administrator can send, does the same.
    /// </summary>
    public PathString PathBase { get; set; }

    /// <summary>
    /// Takes the path base from SCRIPT_NAME. Default false, because that is a mount point only with some web servers
    /// (an alias of mod_fcgid, a prefix of lighttpd, fastcgi_split_path_info of nginx). With others it is the page
    /// itself.
    /// </summary>
    public bool PathBaseFromScriptName { get; set; }

    /// <summary>
    /// Answers 400 to a path that the web server and the application could interpret differently. Default false. The
    /// path must be the one by which nginx chose its location (DOCUMENT_URI). With another web server it must have no
    /// dot segments, no <c>//</c>, no <c>#</c>, and no escapes of letters, digits, <c>-._~</c> or <c>/</c>. Set it if
    /// locations of the web server protect paths.
    /// </summary>
    public bool RequireNormalizedPath { get; set; }

    /// <summary>
    /// The source of the request's target. Default: the page that the web server asks for. That is REQUEST_URI, or the
    /// error page or the target of a rewrite after an internal redirect. Takes effect at the start.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a source.</exception>
    public FastCgiTargetSource TargetSource
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Not a source of the target.");
    }

    /// <summary>
    /// The param that holds the client's TLS certificate, for instance <c>SSL_CLIENT_CERT</c>, as PEM, URL-encoded
    /// PEM or base64. Default null = none: clients cannot present one.
    /// </summary>
    /// <remarks>
    /// The web server has checked that the client has the key of the certificate. It verifies that the certificate is
    /// trusted only if configured to (see its SSL_CLIENT_VERIFY); the application may verify it too.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The name begins with <c>HTTP_</c>: any client can send such a param.
    /// </exception>
    public string? ClientCertificateParameter
    {
        get;
        set => field = ClientMadeParam.Refuse(value, nameof(ClientCertificateParameter), "SSL_CLIENT_CERT");
    }

    /// <summary>The services of the application. Set before the options are configured.</summary>
    public IServiceProvider ApplicationServices { get; set; } = null!;

    /// <summary>Configuration keys that have no effect. Complete after <see cref="GetEndpoints"/>.</summary>
    internal IReadOnlyList<UnknownKey> UnknownKeys { get; private set; } = [];

    /// <summary>Kestrel's settings of the application; null if they are not looked for.</summary>
    internal KestrelSettings? Kestrel { get; set; }

    /// <summary>Listens on an address and port; port 0 lets the system choose a free one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The port is not from 0 to 65535.</exception>
    public void Listen(IPAddress address, int port) => Listen(address, port, static _ => { });

    /// <inheritdoc cref="Listen(IPAddress, int)"/>
    public void Listen(IPAddress address, int port, Action<FastCgiListenOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(address);
        Listen(new IPEndPoint(address, port), configure);
    }

    /// <summary>
    /// Listens on an <see cref="IPEndPoint"/>, a <see cref="UnixDomainSocketEndPoint"/> or a
    /// <see cref="FileHandleEndPoint"/>. An endpoint of another kind, such as a <c>NamedPipeEndPoint</c>, is bound by
    /// the last registered <see cref="IConnectionListenerFactory"/> that accepts it; its transport decides who can
    /// connect. If no factory accepts it, the server does not start.
    /// </summary>
    public void Listen(EndPoint endPoint) => Listen(endPoint, static _ => { });

    /// <inheritdoc cref="Listen(EndPoint)"/>
    public void Listen(EndPoint endPoint, Action<FastCgiListenOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        if (endPoint is FileHandleEndPoint descriptor)
        {
            ListenHandle(descriptor.FileHandle, configure);
            return;
        }

        Add(new FastCgiListenOptions(endPoint), configure);
    }

    /// <summary>
    /// Listens on both loopback addresses, or on the one that the system has. The port must not be 0, because the
    /// system would choose a different port for each.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The port is not from 1 to 65535.</exception>
    public void ListenLocalhost(int port) => ListenLocalhost(port, static _ => { });

    /// <inheritdoc cref="ListenLocalhost(int)"/>
    public void ListenLocalhost(int port, Action<FastCgiListenOptions> configure)
    {
        ArgumentOutOfRangeException.ThrowIfZero(port);
        foreach (IPAddress address in (ReadOnlySpan<IPAddress>)[IPAddress.Loopback, IPAddress.IPv6Loopback])
        {
            Add(new FastCgiListenOptions(new IPEndPoint(address, port)) { IsHalfOfLocalhost = true }, configure);
        }
    }

    /// <summary>
    /// Listens on all addresses, IPv6 and IPv4. The server starts only with
    /// <see cref="FastCgiListenOptions.AllowedClients"/> or <see cref="FastCgiListenOptions.AllowAnyClient"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The port is not from 0 to 65535.</exception>
    public void ListenAnyIP(int port) => ListenAnyIP(port, static _ => { });

    /// <inheritdoc cref="ListenAnyIP(int)"/>
    public void ListenAnyIP(int port, Action<FastCgiListenOptions> configure) =>
        Add(new FastCgiListenOptions(new IPEndPoint(IPAddress.IPv6Any, port)) { IsAnyIP = true }, configure);

    /// <summary>
    /// Listens on a unix socket. A file that a dead server left is taken over; anything else at the path is refused.
    /// The path must be absolute and short enough for the system (Linux: 107 bytes of UTF-8). A path that begins with a
    /// null character is an abstract socket of Linux, which has no file and no mode: it needs
    /// <see cref="FastCgiListenOptions.AllowAnyClient"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The path is empty, not absolute or too long.</exception>
    public void ListenUnixSocket(string socketPath) => ListenUnixSocket(socketPath, static _ => { });

    /// <inheritdoc cref="ListenUnixSocket(string)"/>
    public void ListenUnixSocket(string socketPath, Action<FastCgiListenOptions> configure)
    {
        ArgumentException.ThrowIfNullOrEmpty(socketPath);
        Listen(UnixSocketPath.Parse(socketPath), configure);
    }

    /// <summary>Accepts on a listening socket that the process has inherited.</summary>
    public void ListenHandle(ulong handle) => ListenHandle(handle, static _ => { });

    /// <inheritdoc cref="ListenHandle(ulong)"/>
    public void ListenHandle(ulong handle, Action<FastCgiListenOptions> configure) =>
        Add(new FastCgiListenOptions(handle), configure);

    /// <summary>Accepts on the sockets that systemd passes (LISTEN_FDS). Does nothing if it passes none.</summary>
    public void ListenSystemd() => ListenSystemd(static _ => { });

    /// <inheritdoc cref="ListenSystemd()"/>
    public void ListenSystemd(Action<FastCgiListenOptions> configure)
    {
        foreach (ulong handle in InheritedSockets.FromSystemd())
        {
            ListenHandle(handle, configure);
        }
    }

    /// <summary>
    /// Configures every endpoint before its own configuration does: those that code adds after this call, and all that
    /// come from the configuration and from addresses. Access defaults apply only to suitable endpoints: a mode to
    /// files of unix sockets, clients to TCP. A second call replaces the first.
    /// </summary>
    public void ConfigureEndpointDefaults(Action<FastCgiListenOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        _endpointDefaults = configure;
    }

    /// <summary>
    /// Reads options, <c>Limits</c>, <c>EndpointDefaults</c> and <c>Endpoints</c> from a section. The section
    /// <c>FastCgi</c> of the application's configuration is read before code configures these options. Endpoints of a
    /// section given here replace those in it.
    /// </summary>
    /// <remarks>
    /// Keys: the names of these options and of <see cref="FastCgiServerLimits"/>; <c>Endpoints:&lt;name&gt;:Url</c>
    /// with the names of <see cref="FastCgiListenOptions"/> beside it; <c>EndpointDefaults</c> with the same except
    /// Url. <c>UnixMode</c> is octal or a list of names. <c>AllowedClients</c>, <c>FileHandover:XSendfile</c> and
    /// <c>FileHandover:RelayedHeaders</c> are an array or a text with commas;
    /// <c>FileHandover:XAccelRedirect:&lt;name&gt;</c> has a <c>Directory</c> and a <c>UriPrefix</c>. An endpoint's own
    /// <c>AllowedClients</c> and <c>FileHandover</c> replace the defaults. Times are written hh:mm:ss; empty or null is
    /// no limit. Read at the start; endpoints and limits also at a reload by systemd. An unknown key causes a warning
    /// at the start.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// A value cannot be used. The message names the key, the value and the accepted forms.
    /// </exception>
    public void Configure(IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        _settings = ServerSettings.Read(configuration, this);
        UnknownKeys = _settings.UnknownKeys;
    }

    /// <summary>The endpoints from code, followed by those from the configuration.</summary>
    internal IReadOnlyList<FastCgiListenOptions> GetEndpoints() =>
        _settings is null ? _listenOptions : [.. _listenOptions, .. Collect(_settings.AddEndpoints)];

    /// <summary>Removes the endpoints from code and configuration, and the endpoint defaults.</summary>
    internal void RemoveEndpoints()
    {
        _listenOptions.Clear();
        _settings = null;
        _endpointDefaults = static _ => { };
    }

    /// <summary>Creates endpoints with the defaults of these options, without adding them here.</summary>
    internal IReadOnlyList<FastCgiListenOptions> Collect(Action<FastCgiServerOptions> add)
    {
        var others = new FastCgiServerOptions { ApplicationServices = ApplicationServices };
        others.ConfigureEndpointDefaults(ApplyEndpointDefaults);
        add(others);
        return others._listenOptions;
    }

    private static TimeSpan? PositiveTime(TimeSpan? value, [CallerMemberName] string? name = null) =>
        value is null || value > TimeSpan.Zero
            ? value
            : throw new ArgumentOutOfRangeException(
                nameof(value), value, $"{name} must be null (never) or longer than zero.");

    private static T? Positive<T>(T? value, [CallerMemberName] string? name = null)
        where T : struct, IBinaryInteger<T> => value is null || value > T.Zero
        ? value
        : throw new ArgumentOutOfRangeException(nameof(value), value, $"{name} must be null or at least 1.");

    private void ApplyEndpointDefaults(FastCgiListenOptions listenOptions)
    {
        _settings?.ApplyEndpointDefaults(listenOptions);
        _endpointDefaults(listenOptions);
    }

    private void Add(FastCgiListenOptions listenOptions, Action<FastCgiListenOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        listenOptions.ApplicationServices = ApplicationServices;
        ApplyEndpointDefaults(listenOptions);
        listenOptions.DropWhatCannotApply();
        configure(listenOptions);
        _listenOptions.Add(listenOptions);
    }
}
