using System.Numerics;
using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Listening;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore;

/// <summary>
/// Options of the FastCGI server. Shapes, names and defaults follow Kestrel's. All of them take effect at the start of
/// the server; endpoints and <see cref="Limits"/> also at a reload by systemd.
/// </summary>
public sealed class FastCgiServerOptions
{
    private readonly List<FastCgiListenOptions> _listenOptions = [];
    private Action<FastCgiListenOptions> _endpointDefaults = static _ => { };
    private Action<FastCgiServerOptions>? _addConfiguredEndpoints;
    private Action<FastCgiListenOptions> _configuredEndpointDefaults = static _ => { };

    /// <summary>Ceilings.</summary>
    public FastCgiServerLimits Limits { get; } = new();

    /// <summary>The status page and the ping. Off by default.</summary>
    public FastCgiStatusOptions Status { get; } = new();

    /// <summary>
    /// Allows Read, Write and Flush on the bodies beside their asynchronous forms. Default false: they block a thread.
    /// One request's own setting is
    /// <see cref="Microsoft.AspNetCore.Http.Features.IHttpBodyControlFeature.AllowSynchronousIO"/>.
    /// </summary>
    public bool AllowSynchronousIO { get; set; }

    /// <summary>
    /// Shows <c>Forwarded</c>, <c>X-Forwarded-*</c>, <c>X-Real-IP</c> and <c>X-Original-*</c> in the request headers.
    /// Default false: they are left out, since web servers pass on what the client sends, and
    /// <see cref="HttpRequest.Scheme"/>, <see cref="HttpRequest.Host"/> and
    /// <see cref="ConnectionInfo.RemoteIpAddress"/> are right without them. <see cref="IFastCgiRequestFeature"/> has
    /// them either way. Set it only if the web server sets these headers itself, for instance behind a further proxy. A
    /// request without a REMOTE_ADDR that can be read is answered with 400 then, since
    /// <c>UseForwardedHeaders</c> believes a client without an address. The client of a unix socket of the web server
    /// (<c>unix:</c>) has none, and is let through.
    /// </summary>
    public bool AllowForwardedHeaders { get; set; }

    /// <summary>Adds <c>Server: FastCgi.AspNetCore</c> to responses. Default false: web servers send theirs.</summary>
    public bool AddServerHeader { get; set; }

    /// <summary>
    /// Makes new strings for each request instead of reusing those of the request before where the bytes are equal.
    /// Default false.
    /// </summary>
    public bool DisableStringReuse { get; set; }

    /// <summary>
    /// The encoding of a request header's value, by the header's name in its usual spelling, whatever case the
    /// application asks for: <c>User-Agent</c>, <c>X-My-Own</c>. Default, and where it returns null: UTF-8.
    /// </summary>
    public Func<string, Encoding?>? RequestHeaderEncodingSelector { get; set; }

    /// <summary>
    /// The encoding of a response header's value, by the header's name. Default, and where it returns null: ASCII,
    /// where any other character is refused with <see cref="InvalidOperationException"/>.
    /// </summary>
    public Func<string, Encoding?>? ResponseHeaderEncodingSelector { get; set; }

    /// <summary>Where readiness comes from. Default: epoll on Linux, else System.Net.Sockets.</summary>
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
    /// one, as many as cores when short requests fill it, and more while handlers block. A number, at least 1, is how
    /// many threads serve: a thread that a handler blocks for longer than about 20 milliseconds is replaced beyond it,
    /// so that other requests, bodies and aborts still arrive. If handlers block each replacement at once, twice as
    /// many threads come each time, up to 64 at once. At most 1024 threads are added; one warning says when that is
    /// reached. Takes effect at the start.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int? ThreadCount
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// Time after which a running request is named in the log, once: with method, path, age, and what it waits for if
    /// that is known. A Warning in the category <c>FastCgi.AspNetCore.SlowRequests</c>; the status page counts them.
    /// The time begins with BEGIN_REQUEST and ends with the response. Upgraded connections are left out. Default null =
    /// never; else longer than zero. Precision one second.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan? SlowRequestAfter
    {
        get;
        set => field = PositiveTime(value);
    }

    /// <summary>
    /// Time without a request and without an open connection after which the process ends, if all its sockets were
    /// passed to it: systemd, or the web server, keeps them, and starts it again for the next request. No request is
    /// lost. Web servers with kept connections close them first (nginx after <c>keepalive_timeout</c>, 60 s).
    /// Connections that come and go without a request do not count: the watchdog of systemd makes some. Up to a tenth
    /// is added at random, so that many processes do not end together. Default null = never; else longer than zero.
    /// Precision one second.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan? ExitWhenIdleFor
    {
        get;
        set => field = PositiveTime(value);
    }

    /// <summary>
    /// Requests after which the process ends and is replaced, on the terms of <see cref="ExitWhenIdleFor"/>: running
    /// requests end first. Default null = never; else at least 1.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public long? ExitAfterRequests
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// Bytes of the process in memory (its working set) above which it ends and is replaced, on the terms of
    /// <see cref="ExitWhenIdleFor"/>. Default null = never; else at least 1.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public long? ExitAboveMemory
    {
        get;
        set => field = Positive(value);
    }

    /// <summary>
    /// The param that is the request's <see cref="HttpContext.TraceIdentifier"/>, for instance <c>REQUEST_ID</c> with
    /// nginx' <c>fastcgi_param REQUEST_ID $request_id;</c>. Then the web server's log and the application's name a
    /// request alike. A value that is empty, longer than 128 bytes or not printable ASCII is not taken. Default null =
    /// the server makes identifiers.
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
    /// Takes the path base from SCRIPT_NAME. Default false, since it is a mount point only with some web servers (an
    /// alias of mod_fcgid, a prefix of lighttpd, fastcgi_split_path_info of nginx) and the page itself with others.
    /// </summary>
    public bool PathBaseFromScriptName { get; set; }

    /// <summary>
    /// Answers 400 to a path that the web server and the application could read differently. Default false. The path
    /// must be the one by which nginx chose its location (DOCUMENT_URI). With another web server it must have no dot
    /// segments, no <c>//</c>, no <c>#</c>, and no escapes of letters, digits, <c>-._~</c> or <c>/</c>. Set it if
    /// locations of the web server protect paths.
    /// </summary>
    public bool RequireNormalizedPath { get; set; }

    /// <summary>
    /// The params that the request's target is taken from. Default: the page that the web server asks for, which is its
    /// error page or the target of its rewrite, and REQUEST_URI otherwise. Takes effect at the start.
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
    /// The web server has seen that the client has the key of the certificate. It verifies whether the certificate is
    /// trusted only if it is told to (see its SSL_CLIENT_VERIFY); the application may do so too.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The name begins with <c>HTTP_</c>: any client can send such a param.
    /// </exception>
    public string? ClientCertificateParameter
    {
        get;
        set => field = ClientMadeParam.Refuse(value, nameof(ClientCertificateParameter), "SSL_CLIENT_CERT");
    }

    /// <summary>The services of the application; set before the options are configured.</summary>
    public IServiceProvider ApplicationServices { get; set; } = null!;

    /// <summary>Keys of the configuration that have no effect; complete after <see cref="GetEndpoints"/>.</summary>
    internal IReadOnlyList<UnknownKey> UnknownKeys { get; private set; } = [];

    /// <summary>Kestrel's settings of the application; null where they are not looked for.</summary>
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
    /// the last registered <see cref="IConnectionListenerFactory"/> that takes it; its transport decides who can
    /// connect. If no factory takes it, the server does not start.
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
    /// Listens on both loopback addresses, or on the one that the system has. The port must not be 0, since the two
    /// could not share the one that the system chooses.
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
    /// Listens on a unix socket. A file that a dead server left behind is taken over, anything else at the path is
    /// refused. The path must be absolute and short enough for the system (Linux: 107 bytes of UTF-8); one that begins
    /// with a null character is an abstract socket of Linux, which has neither file nor mode: it needs
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

    /// <summary>Accepts on the sockets that systemd passes (LISTEN_FDS); does nothing when it passes none.</summary>
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
    /// come from the configuration and from addresses. Defaults of who may connect count where they can apply: a mode
    /// for files of unix sockets, clients for TCP. A second call replaces the first.
    /// </summary>
    public void ConfigureEndpointDefaults(Action<FastCgiListenOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        _endpointDefaults = configure;
    }

    /// <summary>
    /// Reads options, <c>Limits</c>, <c>EndpointDefaults</c> and <c>Endpoints</c> from a section. The section
    /// <c>FastCgi</c> of the application's configuration has been read before code configures these options; the
    /// endpoints of a section given here take the place of those in it.
    /// </summary>
    /// <remarks>
    /// Keys: the names of these options and of <see cref="FastCgiServerLimits"/>; <c>Endpoints:&lt;name&gt;:Url</c>
    /// with the names of <see cref="FastCgiListenOptions"/> beside it; <c>EndpointDefaults</c> with the same but Url.
    /// <c>UnixMode</c> is octal or a list of names. <c>AllowedClients</c>, <c>FileHandover:XSendfile</c> and
    /// <c>FileHandover:RelayedHeaders</c> are an array or a text with commas;
    /// <c>FileHandover:XAccelRedirect:&lt;name&gt;</c> has a <c>Directory</c> and a <c>UriPrefix</c>. An endpoint's
    /// own <c>AllowedClients</c> and <c>FileHandover</c> take the place of the defaults. Times are written hh:mm:ss;
    /// empty or null is no limit. Read at the start, and at a reload of systemd for endpoints and limits. A key that is
    /// not known is a warning at the start.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// A value cannot be used; the message names key, value and what is accepted.
    /// </exception>
    public void Configure(IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        var settings = ServerSettings.Read(configuration, this);
        _addConfiguredEndpoints = settings.AddEndpoints;
        _configuredEndpointDefaults = settings.ApplyEndpointDefaults;
        UnknownKeys = settings.UnknownKeys;
    }

    /// <summary>The endpoints of code, then those of the configuration.</summary>
    internal IReadOnlyList<FastCgiListenOptions> GetEndpoints() =>
        _addConfiguredEndpoints is null ? _listenOptions : [.. _listenOptions, .. Collect(_addConfiguredEndpoints)];

    /// <summary>Leaves no endpoint of code and configuration, and no defaults of endpoints.</summary>
    internal void RemoveEndpoints()
    {
        _listenOptions.Clear();
        _addConfiguredEndpoints = null;
        _endpointDefaults = _configuredEndpointDefaults = static _ => { };
    }

    /// <summary>Endpoints with the defaults of these options, without adding them here.</summary>
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
        _configuredEndpointDefaults(listenOptions);
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
