using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The request's head. What middleware sets is what the application reads; the server never looks at it.
internal sealed partial class RequestFeatures : IHttpRequestFeature
{
    private RequestOverrides? _overrides;
    private RequestHeaderDictionary? _requestHeaders;

    string IHttpRequestFeature.Protocol
    {
        get => IsSet(RequestParts.Protocol)
            ? _overrides!.Protocol!
            : _request.Read(static cgi => cgi.Protocol);
        set => Override(RequestParts.Protocol).Protocol = value;
    }

    string IHttpRequestFeature.Scheme
    {
        get => IsSet(RequestParts.Scheme)
            ? _overrides!.Scheme!
            : _request.Read(static cgi => cgi.Scheme);
        set => Override(RequestParts.Scheme).Scheme = value;
    }

    string IHttpRequestFeature.Method
    {
        get => IsSet(RequestParts.Method)
            ? _overrides!.Method!
            : _request.Read(static cgi => cgi.Method);
        set => Override(RequestParts.Method).Method = value;
    }

    string IHttpRequestFeature.PathBase
    {
        get => IsSet(RequestParts.PathBase)
            ? _overrides!.PathBase!
            : _request.Read(static cgi => cgi.PathBase);
        set => Override(RequestParts.PathBase).PathBase = value;
    }

    string IHttpRequestFeature.Path
    {
        get => IsSet(RequestParts.Path)
            ? _overrides!.Path!
            : _request.Read(static cgi => cgi.Path);
        set => Override(RequestParts.Path).Path = value;
    }

    string IHttpRequestFeature.QueryString
    {
        get => IsSet(RequestParts.QueryString)
            ? _overrides!.QueryString!
            : _request.Read(static cgi => cgi.QueryString);
        set => Override(RequestParts.QueryString).QueryString = value;
    }

    string IHttpRequestFeature.RawTarget
    {
        get => IsSet(RequestParts.RawTarget)
            ? _overrides!.RawTarget!
            : _request.Read(static cgi => cgi.RawTarget);
        set => Override(RequestParts.RawTarget).RawTarget = value;
    }

    IHeaderDictionary IHttpRequestFeature.Headers
    {
        get => IsSet(RequestParts.Headers)
            ? _overrides!.Headers!
            : _requestHeaders ??= new RequestHeaderDictionary(_request);
        set => Override(RequestParts.Headers).Headers = value;
    }

    private bool IsSet(RequestParts part) => _overrides is not null && (_overrides.Parts & part) != 0;

    private RequestOverrides Override(RequestParts part)
    {
        ThrowIfOver();
        _overrides ??= new RequestOverrides();
        _overrides.Parts |= part;
        return _overrides;
    }

    /// <summary>Which request were set, since null may be set too.</summary>
    [Flags]
    private enum RequestParts
    {
        None = 0,
        Protocol = 1,
        Scheme = 1 << 1,
        Method = 1 << 2,
        PathBase = 1 << 3,
        Path = 1 << 4,
        QueryString = 1 << 5,
        RawTarget = 1 << 6,
        Headers = 1 << 7,
    }

    /// <summary>The values that middleware has set. Most requests have none.</summary>
    private sealed class RequestOverrides
    {
        public RequestParts Parts { get; set; }

        public string? Protocol { get; set; }

        public string? Scheme { get; set; }

        public string? Method { get; set; }

        public string? PathBase { get; set; }

        public string? Path { get; set; }

        public string? QueryString { get; set; }

        public string? RawTarget { get; set; }

        public IHeaderDictionary? Headers { get; set; }
    }
}
