using System.Buffers;
using System.Buffers.Text;
using System.Text.Unicode;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The HTTP meaning of a request's params. One object serves many requests, one after the other.</summary>
/// <remarks>
/// <see cref="Load"/> decodes the values that a dispatch needs; the others are decoded on demand. If web servers
/// differ, each property uses the param that is correct on all of them. Reads change no significant state, because an
/// application may read here after its request has ended, while the object serves the next one.
/// </remarks>
internal sealed partial class CgiRequest(FastCgiServerOptions options)
{
    // Not plain text: a character that targets and header values must not contain, or one beyond ASCII.
    internal static readonly SearchValues<byte> Suspicious = CreateSuspicious();

    private static readonly SearchValues<byte> _forbidden = SearchValues.Create(0, (byte)'\r', (byte)'\n');

    // nginx and its relatives, which send the same params.
    private static readonly byte[][] _nginxFamily =
    [
        [.. "nginx"u8], [.. "angie"u8], [.. "freenginx"u8], [.. "njet"u8], [.. "openresty"u8], [.. "tengine"u8],
    ];

    private readonly RequestTarget _target = new(options);
    private readonly CachedAddress _remoteAddress = new();
    private readonly CachedAddress _localAddress = new();
    private int _rejectedEntry = -1;
    private bool _hasUndecidedHeaders;

    private readonly PathString _fixedBase = NormaliseBase(options.PathBase.Value);
    private string? _splitPath;
    private string? _originalPath;
    private string? _baseText;

    /// <summary>The current limits, which a reload may change.</summary>
    public FastCgiServerLimits Limits { get; set; } = options.Limits;

    /// <summary>Must be filled before <see cref="Load"/>.</summary>
    public CgiParams Params { get; } = new(options.DisableStringReuse, options.AllowForwardedHeaders);

    /// <summary>The encoding of a header's values by name; user code. Null for UTF-8.</summary>
    public Func<string, Encoding?>? HeaderEncodingSelector => options.RequestHeaderEncodingSelector;

    /// <summary>The method as the web server sent it.</summary>
    public string Method { get; private set; } = "";

    /// <summary>True if the answer has no body. From the params: a rejected request may have no method.</summary>
    public bool IsHead => Params.GetBytes(KnownParam.RequestMethod).SequenceEqual("HEAD"u8);

    /// <summary>The path and query as the client sent them, or <c>*</c>.</summary>
    public string RawTarget => _target.RawTarget;

    /// <summary>The part of the path that is the base, in the request's own spelling; may be empty.</summary>
    public string PathBase { get; private set; } = "";

    /// <summary>The path after the base, or the whole path if it does not begin with the base.</summary>
    public string Path { get; private set; } = "";

    /// <summary>The raw query string with its question mark; may be empty.</summary>
    public string QueryString => _target.QueryString;

    /// <summary>The protocol in the framework's spelling: <c>HTTP/1.1</c>, <c>HTTP/2</c>.</summary>
    public string Protocol { get; private set; } = "";

    /// <summary>CONTENT_LENGTH; null if unknown. Then there may still be a body.</summary>
    public long? ContentLength { get; private set; }

    /// <summary>The client's <see cref="ContentLength"/>; null for a 0 that may be the web server's.</summary>
    public long? ContentLengthHeader =>
        ContentLength == 0 && AlwaysHasLength && !AnticipatesContent && AnnouncedLength != 0 ? null : ContentLength;

    /// <summary>
    /// True if the client announced a longer body than CONTENT_LENGTH. The client's header only makes the other one
    /// doubtful. An empty GET is never doubtful, because the header Content_Length has the same param name.
    /// </summary>
    public bool HasLongerBodyAnnounced => AnnouncedLength > ContentLength
        && !(ContentLength == 0 && (HttpMethods.IsGet(Method) || HttpMethods.IsHead(Method)));

    /// <summary>True if the web server must send CONTENT_LENGTH, even for a request without a body (SCGI).</summary>
    public bool HasMandatoryLength { get; set; }

    /// <summary>True for an authorizer: no SCRIPT_NAME, no PATH_INFO (FastCGI 1.0, section 6.3).</summary>
    public bool IsAuthorizer { get; set; }

    /// <summary>True if certainly no body comes, whatever the headers say.</summary>
    public bool IsBodiless { get; set; }

    /// <summary>True if the web server sends a length of 0 where the client sent none.</summary>
    private bool AlwaysHasLength =>
        HasMandatoryLength || IsFrom("Caddy"u8) || IsFrom("HAProxy"u8) || IsFrom("lighttpd"u8);

    /// <summary>The length in the client's own header, if it is a number.</summary>
    private long? AnnouncedLength =>
        TryParseLength(Params.GetBytes(KnownParam.HttpContentLength), out var length) ? length : null;

    /// <summary>With these methods, clients send Content-Length even if it is 0 (RFC 9110, section 8.6).</summary>
    private bool AnticipatesContent =>
        HttpMethods.IsPost(Method) || HttpMethods.IsPut(Method) || HttpMethods.IsPatch(Method);

    /// <summary>True if the client validly asks for another protocol (RFC 9110, section 7.8).</summary>
    public bool AsksForUpgrade => Params.Has(KnownParam.HttpUpgrade)
        && HasConnectionOption("upgrade"u8)
        && ReferenceEquals(Protocol, HttpProtocol.Http11)
        && ContentLength is not > 0;

    /// <summary>True if the request may upgrade. Then the application also sees the header Connection.</summary>
    public bool IsUpgradable { get; set; }

    /// <summary>True if CONTENT_TYPE is not the client's: Caddy gives uploads without a type that of a form.</summary>
    public bool HasInventedContentType =>
        !Params.Has(KnownParam.HttpContentType) && IsFrom("Caddy"u8);

    /// <summary>A native gRPC call. Not if redirected internally, because it may only ask for permission.</summary>
    public bool IsNativeGrpc => HttpMethods.IsPost(Method)
        && IsNativeGrpcType(Params.GetBytes(KnownParam.ContentType))
        && _target.OriginalPath is null;

    /// <summary>
    /// True for <c>application/grpc</c>, alone or with a message format (<c>+proto</c>) or parameters. False for
    /// gRPC-Web, which is <c>application/grpc-web</c>.
    /// </summary>
    internal static bool IsNativeGrpcType(ReadOnlySpan<byte> contentType)
    {
        var prefix = "application/grpc"u8;
        return contentType.Length >= prefix.Length
            && Ascii.EqualsIgnoreCase(contentType[..prefix.Length], prefix)
            && (contentType.Length == prefix.Length
                || contentType[prefix.Length] is (byte)'+' or (byte)';' or (byte)' ');
    }

    /// <summary>True if the client's connection uses TLS.</summary>
    public bool IsHttps
    {
        get
        {
            var https = Params.GetBytes(KnownParam.Https);
            return (https.Length == 2 && Ascii.EqualsIgnoreCase(https, "on"u8)) || https.SequenceEqual("1"u8)
                || Ascii.EqualsIgnoreCase(Params.GetBytes(KnownParam.RequestScheme), "https"u8);
        }
    }

    public string Scheme => IsHttps ? "https" : "http";

    /// <summary>HTTP_HOST, otherwise the host of an absolute target, otherwise the server's name, or null.</summary>
    public string? Host => Params.GetString(KnownParam.HttpHost) ?? _target.Authority ?? HostOfServer();

    /// <summary>The client's address; null if the web server sends none, as for a client on a unix socket.</summary>
    public IPAddress? RemoteIpAddress => _remoteAddress.Parse(Params.GetBytes(KnownParam.RemoteAddr));

    /// <summary>True if the web server sends an invalid address that does not mean a unix socket either.</summary>
    public bool HasUnreadableRemoteAddress =>
        RemoteIpAddress is null && Params.GetBytes(KnownParam.RemoteAddr) is { IsEmpty: false } text
        && !CachedAddress.IsUnix(text);

    /// <summary>The client's port; 0 if the web server sends none.</summary>
    public int RemotePort => HostText.ParsePort(Params.GetBytes(KnownParam.RemotePort));

    /// <summary>The web server's address for the client; null if the web server sends none.</summary>
    public IPAddress? LocalIpAddress => _localAddress.Parse(Params.GetBytes(KnownParam.ServerAddr));

    /// <summary>The web server's port for the client, for display only; 0 if there is none.</summary>
    /// <remarks>Apache and Caddy take it from the Host header, which the client chooses.</remarks>
    public int LocalPort => HostText.ParsePort(Params.GetBytes(KnownParam.ServerPort));

    /// <summary>True if the web server is configured to cut the port off Host, so that URLs are wrong.</summary>
    /// <remarks>
    /// False if the configuration sets the host again, or if the client's own URL has no port, as behind a mapped port.
    /// </remarks>
    public bool HostLostItsPort
    {
        get
        {
            var host = Params.GetBytes(KnownParam.HttpHost);
            return !host.IsEmpty && !HostText.HasPort(host)
                && LocalPort is not 0 and var port && !HostText.IsDefaultPort(port, IsHttps)
                && IsFromNginx
                && !Params.IsRepeated(KnownParam.HttpHost)
                && !HostText.IsOfOrigin(host, Params.GetBytes(KnownParam.HttpReferer))
                && !HostText.IsOfOrigin(host, Params.GetBytes(KnownParam.HttpOrigin));
        }
    }

    /// <summary>True if the client sent a forwarding header that is hidden from the application.</summary>
    public bool HasForwardingHeader => Params.LastForwarding >= 0;

    /// <summary>The name of that param, for a log; null if there is none.</summary>
    public string? ForwardingParam =>
        HasForwardingHeader ? RejectedValue.Escape(Params.NameAt(Params.LastForwarding)) : null;

    /// <summary>True if SERVER_SOFTWARE names nginx or a relative, with or without a version.</summary>
    public bool IsFromNginx
    {
        get
        {
            var software = Params.GetBytes(KnownParam.ServerSoftware);
            foreach (var name in _nginxFamily)
            {
                if (software.Length >= name.Length && Ascii.EqualsIgnoreCase(software[..name.Length], name)
                    && (software.Length == name.Length || !char.IsAsciiLetterOrDigit((char)software[name.Length])))
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>True unless SERVER_SOFTWARE names another web server. nginx sends what it is configured to.</summary>
    public bool MayBeFromNginx => !IsFrom("Apache"u8) && !IsFrom("lighttpd"u8) && !IsFrom("Caddy"u8)
        && !IsFrom("HAProxy"u8) && !IsFrom("h2o"u8) && !IsFrom("Microsoft-IIS"u8) && !IsFrom("FastCgi."u8);

    /// <summary>Reads the complete params. Returns null if the request may be dispatched.</summary>
    public CgiRejection? Load()
    {
        Params.Complete();
        _hasUndecidedHeaders = false;
        _rejectedEntry = -1;
        var rejection = LoadMethod() ?? _target.Read(Params, Limits.MaxRequestLineSize, IsAuthorizer)
            ?? CheckAsterisk() ?? LoadContentLength() ?? CheckHeaders() ?? CheckAliases() ?? CheckRemoteAddress();
        if (rejection is null)
        {
            SplitPath(_target.Path, _target.OriginalPath);
            Protocol = LoadProtocol();
        }

        return rejection;
    }

    /// <summary>
    /// Asks the selector about header values that are not UTF-8. Returns null if the request may be dispatched. Not a
    /// part of <see cref="Load"/>, which runs under a lock, because the selector is user code.
    /// </summary>
    public CgiRejection? CheckEncodings()
    {
        for (var i = 0; _hasUndecidedHeaders && i < Params.Count; i++)
        {
            ref readonly var entry = ref Params.EntryAt(i);
            if (IsJudged(entry) && !IsLeftOut(entry) && !Utf8.IsValid(Params.ValueAt(i)) && !HasEncoding(entry))
            {
                _rejectedEntry = i;
                return CgiRejection.InvalidHeaderValue;
            }
        }

        return null;
    }

    /// <summary>Clears the request, and keeps the strings for the next one.</summary>
    public void Reset()
    {
        Params.Clear();
        // The next request may be rejected before its params are read: this one's entry must not describe it.
        _rejectedEntry = -1;
        ContentLength = null;
        IsUpgradable = HasMandatoryLength = IsBodiless = IsAuthorizer = false;
    }

    /// <summary>The text for the log: the fault, and the escaped and shortened value if there is one.</summary>
    public string DescribeRejection(CgiRejection rejection)
    {
        if (_rejectedEntry >= 0)
        {
            return RejectedValue.Describe(
                rejection.Detail, Params.NameAt(_rejectedEntry), Params.ValueAt(_rejectedEntry));
        }

        return Params.Has(rejection.Param)
            ? RejectedValue.Describe(rejection.Detail, default, Params.GetBytes(rejection.Param))
            : rejection.Detail;
    }

    /// <summary>
    /// The method and path for a log, as the web server sent them, without the query. Read from the bytes only, so it
    /// may be called while the application runs.
    /// </summary>
    public string DescribeTarget()
    {
        var target = Params.GetBytes(KnownParam.RequestUri);
        if (target.IsEmpty)
        {
            target = Params.GetBytes(KnownParam.ScriptName);
        }

        var method = RejectedValue.Escape(Params.GetBytes(KnownParam.RequestMethod));
        return $"{method} {RejectedValue.Escape(RequestTarget.WithoutQuery(target))}";
    }

    private static SearchValues<byte> CreateSuspicious()
    {
        Span<byte> values = stackalloc byte[3 + 0x80];
        "\0\r\n"u8.CopyTo(values);
        for (var i = 0; i < 0x80; i++)
        {
            values[3 + i] = (byte)(0x80 + i);
        }

        return SearchValues.Create(values);
    }

    internal static bool IsText(ReadOnlySpan<byte> bytes) => !bytes.ContainsAny(_forbidden) && Utf8.IsValid(bytes);

    private CgiRejection? LoadMethod()
    {
        var method = Params.GetBytes(KnownParam.RequestMethod);
        if (method.IsEmpty)
        {
            return CgiRejection.MissingMethod;
        }

        if (FindMethod(method) is { } name)
        {
            Method = name;
            return ReferenceEquals(name, HttpMethods.Connect) ? CgiRejection.ConnectMethod : null;
        }

        if (method.ContainsAnyExcept(HeaderValidation.TokenBytes))
        {
            return CgiRejection.InvalidMethod;
        }

        Method = Params.GetString(KnownParam.RequestMethod)!;
        return null;
    }

    /// <summary>Without a path, the application's rules for paths would not apply.</summary>
    private CgiRejection? CheckAsterisk() =>
        _target.RawTarget == "*" && !HttpMethods.IsOptions(Method) ? CgiRejection.AsteriskTarget : null;

    /// <summary>The shared string of a known method, otherwise null. Case matters: <c>get</c> is unknown.</summary>
    private static string? FindMethod(ReadOnlySpan<byte> method) => method.Length switch
    {
        3 when method.SequenceEqual("GET"u8) => HttpMethods.Get,
        3 when method.SequenceEqual("PUT"u8) => HttpMethods.Put,
        4 when method.SequenceEqual("POST"u8) => HttpMethods.Post,
        4 when method.SequenceEqual("HEAD"u8) => HttpMethods.Head,
        5 when method.SequenceEqual("PATCH"u8) => HttpMethods.Patch,
        5 when method.SequenceEqual("TRACE"u8) => HttpMethods.Trace,
        6 when method.SequenceEqual("DELETE"u8) => HttpMethods.Delete,
        7 when method.SequenceEqual("OPTIONS"u8) => HttpMethods.Options,
        7 when method.SequenceEqual("CONNECT"u8) => HttpMethods.Connect,
        _ => null,
    };

    /// <summary>True if the header Connection has the option, in any case (RFC 9110, section 7.6.1).</summary>
    private bool HasConnectionOption(ReadOnlySpan<byte> option)
    {
        for (var i = 0; i < Params.Count; i++)
        {
            if (Params.EntryAt(i).Known != KnownParam.HttpConnection)
            {
                continue;
            }

            var line = Params.ValueAt(i);
            foreach (var range in line.Split((byte)','))
            {
                if (Ascii.EqualsIgnoreCase(line[range].Trim(" \t"u8), option))
                {
                    return true;
                }
            }
        }

        return false;
    }

    private CgiRejection? LoadContentLength()
    {
        if (Params.HasConflictingContentLength)
        {
            return CgiRejection.ConflictingContentLength;
        }

        var isValid = TryParseLength(Params.GetBytes(KnownParam.ContentLength), out var length);
        ContentLength = isValid ? length : null;
        return isValid ? null : CgiRejection.InvalidContentLength;
    }

    /// <summary>
    /// Reads CONTENT_LENGTH (RFC 3875, section 4.1.2): only digits, up to 2^63 - 1. Nothing and exactly <c>-1</c>,
    /// which Caddy 2.6 sends for a chunked upload, mean an unknown length.
    /// </summary>
    private static bool TryParseLength(ReadOnlySpan<byte> text, out long? length)
    {
        length = null;
        if (text.IsEmpty || text.SequenceEqual("-1"u8))
        {
            return true;
        }

        if (text.Length > 19 || text.ContainsAnyExceptInRange((byte)'0', (byte)'9')
            || !Utf8Parser.TryParse(text, out long value, out _))
        {
            return false;
        }

        length = value;
        return true;
    }

    private CgiRejection? CheckHeaders()
    {
        if (Params.HeaderCount > Limits.MaxRequestHeaderCount)
        {
            return CgiRejection.TooManyHeaders;
        }

        if (Params.HeadersTotalSize > Limits.MaxRequestHeadersTotalSize)
        {
            return CgiRejection.HeadersTooLarge;
        }

        for (var i = 0; i < Params.Count; i++)
        {
            ref readonly var entry = ref Params.EntryAt(i);
            if (IsJudged(entry)
                && Params.ValueAt(i) is var value && value.ContainsAny(Suspicious) && !IsValid(entry, value))
            {
                _rejectedEntry = i;
                return CgiRejection.InvalidHeaderValue;
            }
        }

        var host = Params.GetBytes(KnownParam.HttpHost);
        return !HostText.IsValid(host) ? CgiRejection.InvalidHost
            : !host.IsEmpty && (IsOfOtherTarget(host) || IsOfOtherSite(host)) ? CgiRejection.ConflictingHost
            : null;
    }

    private bool IsOfOtherTarget(ReadOnlySpan<byte> host) =>
        _target.Authority is { } other && !HostText.AreSame(host, other, IsHttps);

    /// <summary>
    /// An HTTP/2 request may have a Host beside its :authority. Caddy chooses the site by the :authority, which
    /// SERVER_NAME has, and sends the other one as HTTP_HOST. Such a request is malformed (RFC 9113, section 8.3.1).
    /// </summary>
    private bool IsOfOtherSite(ReadOnlySpan<byte> host)
    {
        var name = Params.GetBytes(KnownParam.ServerName);
        return !name.IsEmpty && IsFrom("Caddy"u8) && !HostText.IsNamed(host, name);
    }

    /// <summary>
    /// lighttpd sends <c>X-Real-IP</c>, <c>X_Real_IP</c> and <c>X.Real.IP</c> as separate params with the same name. It
    /// joins the lines of one header. So a repeated param means two different headers, and one may be forged.
    /// </summary>
    private CgiRejection? CheckAliases()
    {
        var order = IsFrom("lighttpd"u8) ? Params.Order : default;
        for (var i = 1; i < order.Length; i++)
        {
            if (Params.EntryAt(order[i]).IsHeader
                && ParamIndex.AreEqual(Params.NameAt(order[i - 1]), Params.NameAt(order[i])))
            {
                _rejectedEntry = order[i];
                return CgiRejection.AmbiguousHeader;
            }
        }

        return null;
    }

    /// <summary>The forwarded-headers middleware takes a client without an address for a known proxy.</summary>
    private CgiRejection? CheckRemoteAddress() =>
        options.AllowForwardedHeaders
        && (HasUnreadableRemoteAddress || !Params.Has(KnownParam.RemoteAddr))
            ? CgiRejection.InvalidRemoteAddress
            : null;

    private static bool IsJudged(in ParamEntry entry) =>
        entry.IsHeader || entry.Known is KnownParam.ContentType or KnownParam.RedirectHttpAuthorization;

    private bool IsValid(in ParamEntry entry, ReadOnlySpan<byte> value)
    {
        if (value.ContainsAny(_forbidden))
        {
            return false;
        }

        if (IsLeftOut(entry) || Utf8.IsValid(value))
        {
            return true;
        }

        _hasUndecidedHeaders = options.RequestHeaderEncodingSelector is not null;
        return _hasUndecidedHeaders;
    }

    /// <summary>True if the application chooses another encoding than UTF-8 for the header.</summary>
    private bool HasEncoding(in ParamEntry entry)
    {
        var known = entry.Known == KnownParam.RedirectHttpAuthorization ? KnownParam.HttpAuthorization : entry.Known;
        var name = ParamNames.HeaderOf(known)
            ?? HeaderNameText.Restore(Params.NameOf(entry)[ParamNames.HeaderPrefix.Length..]);
        return options.RequestHeaderEncodingSelector!(name) is { } encoding
            && !ReferenceEquals(encoding, Encoding.UTF8);
    }

    /// <summary>True if SERVER_SOFTWARE begins with the name.</summary>
    private bool IsFrom(ReadOnlySpan<byte> software) =>
        Params.GetBytes(KnownParam.ServerSoftware).StartsWith(software);

    /// <summary>True if no application sees the value, so that its encoding does not matter.</summary>
    private static bool IsLeftOut(in ParamEntry entry) => entry.IsForwarding || entry.Known is KnownParam.HttpProxy
        or KnownParam.HttpKeepAlive or KnownParam.HttpTe or KnownParam.HttpExpect or KnownParam.HttpContentLength
        or KnownParam.HttpContentType;

    private string LoadProtocol()
    {
        var protocol = Params.GetBytes(KnownParam.ServerProtocol);
        return protocol.Length switch
        {
            0 => HttpProtocol.Http11,
            8 when protocol.SequenceEqual("HTTP/1.1"u8) => HttpProtocol.Http11,
            8 when protocol.SequenceEqual("HTTP/1.0"u8) => HttpProtocol.Http10,
            8 when protocol.SequenceEqual("HTTP/2.0"u8) => HttpProtocol.Http2,
            8 when protocol.SequenceEqual("HTTP/3.0"u8) => HttpProtocol.Http3,
            6 when protocol.SequenceEqual("HTTP/2"u8) => HttpProtocol.Http2,
            6 when protocol.SequenceEqual("HTTP/3"u8) => HttpProtocol.Http3,
            // Apache's mod_include uses this name for the request of a fragment.
            8 when protocol.SequenceEqual("INCLUDED"u8) => HttpProtocol.Http11,
            // A later minor version counts as the highest known one (RFC 9110, section 2.5).
            _ when protocol.StartsWith("HTTP/1."u8) => HttpProtocol.Http11,
            _ => Params.GetString(KnownParam.ServerProtocol)!,
        };
    }

    private string? HostOfServer() =>
        Params.GetString(KnownParam.ServerName) is { } name ? HostText.FromServer(name, LocalPort, IsHttps) : null;

    /// <summary>
    /// Splits a path at its base, by whole segments and ignoring case, as UsePathBase does. The application's setting
    /// comes before that of the web server's administrator.
    /// </summary>
    /// <param name="path">The decoded path.</param>
    /// <param name="originalPath">The client's path if nginx rewrote it, which may have removed the base.</param>
    private void SplitPath(string path, string? originalPath)
    {
        var baseText = _fixedBase.HasValue ? _fixedBase.Value
            : Params.GetString(KnownParam.PathBase)
                ?? (options.PathBaseFromScriptName ? Params.GetString(KnownParam.ScriptName) : null);
        if (baseText is null)
        {
            (_splitPath, _baseText) = (null, null);
            (PathBase, Path) = ("", path);
            return;
        }

        // Both strings are the same objects while the bytes stay the same.
        if (ReferenceEquals(path, _splitPath) && ReferenceEquals(originalPath, _originalPath)
            && ReferenceEquals(baseText, _baseText))
        {
            return;
        }

        var pathBase = ReferenceEquals(baseText, _fixedBase.Value) ? _fixedBase : NormaliseBase(baseText);
        if (pathBase.HasValue && path.Length > 0
            && new PathString(path).StartsWithSegments(pathBase, out var matched, out var remaining))
        {
            (PathBase, Path) = (matched.Value ?? "", remaining.Value ?? "");
        }
        else if (pathBase.HasValue && originalPath is { Length: > 0 }
            && new PathString(originalPath).StartsWithSegments(pathBase, out matched, out _))
        {
            (PathBase, Path) = (matched.Value ?? "", path);
        }
        else
        {
            (PathBase, Path) = ("", path);
        }

        // Last, because these identify the request of the parts.
        (_splitPath, _originalPath, _baseText) = (path, originalPath, baseText);
    }

    private static PathString NormaliseBase(string? text)
    {
        text = text?.TrimEnd('/');
        return string.IsNullOrEmpty(text) ? PathString.Empty
            : new PathString(text.StartsWith('/') ? text : "/" + text);
    }
}

/// <summary>The right to read a request's params. Ends with the request, because the next one reuses them.</summary>
/// <remarks>
/// An application may read on another thread while its request ends. Then the params may change during the read, so its
/// result or failure is dropped. The application gets an <see cref="ObjectDisposedException"/>.
/// </remarks>
internal sealed class CgiRequestLease(CgiRequest request)
{
    private volatile CgiRequest? _request = request;

    public bool IsOver => _request is null;

    /// <summary>For uses that do not read the params.</summary>
    /// <exception cref="ObjectDisposedException">The request has ended.</exception>
    public CgiRequest Request => _request ?? throw RequestIsOver();

    /// <exception cref="ObjectDisposedException">The request has ended, before or during the read.</exception>
    public T Read<T>(Func<CgiRequest, T> read)
        where T : allows ref struct
    {
        var request = Request;
        try
        {
            var value = read(request);
            ThrowIfOver();
            return value;
        }
        catch (Exception exception) when (IsLate(exception))
        {
            throw RequestIsOver(exception);
        }
    }

    public T Read<T, TState>(Func<CgiRequest, TState, T> read, TState state)
        where T : allows ref struct
    {
        var request = Request;
        try
        {
            var value = read(request, state);
            ThrowIfOver();
            return value;
        }
        catch (Exception exception) when (IsLate(exception))
        {
            throw RequestIsOver(exception);
        }
    }

    /// <exception cref="ObjectDisposedException">The request has ended.</exception>
    public void ThrowIfOver()
    {
        if (IsOver)
        {
            throw RequestIsOver();
        }
    }

    /// <summary>Ends the lease with the request. Every later use throws.</summary>
    public void End() => _request = null;

    private bool IsLate(Exception exception) => IsOver && exception is not ObjectDisposedException;

    private static ObjectDisposedException RequestIsOver(Exception? cause = null) =>
        new("The request has ended. Read what you need of its HttpContext before that.", cause);
}
