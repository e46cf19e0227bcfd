using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The request's head. What middleware sets is what the application reads; the server never looks at it.
internal partial class RequestFeatures : IHttpRequestFeature
{
    private RequestParts _setParts;
    private string? _protocol;
    private string? _scheme;
    private string? _method;
    private string? _pathBase;
    private string? _path;
    private string? _queryString;
    private string? _rawTarget;
    private IHeaderDictionary? _requestHeaders;

    /// <summary>Which parts were set, since null may be set too.</summary>
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

    string IHttpRequestFeature.Protocol
    {
        get => IsSet(RequestParts.Protocol) ? _protocol! : Cgi.Protocol;
        set => Set(RequestParts.Protocol, ref _protocol, value);
    }

    string IHttpRequestFeature.Scheme
    {
        get => IsSet(RequestParts.Scheme) ? _scheme! : Cgi.Scheme;
        set => Set(RequestParts.Scheme, ref _scheme, value);
    }

    string IHttpRequestFeature.Method
    {
        get => IsSet(RequestParts.Method) ? _method! : Cgi.Method;
        set => Set(RequestParts.Method, ref _method, value);
    }

    string IHttpRequestFeature.PathBase
    {
        get => IsSet(RequestParts.PathBase) ? _pathBase! : Cgi.PathBase;
        set => Set(RequestParts.PathBase, ref _pathBase, value);
    }

    string IHttpRequestFeature.Path
    {
        get => IsSet(RequestParts.Path) ? _path! : Cgi.Path;
        set => Set(RequestParts.Path, ref _path, value);
    }

    string IHttpRequestFeature.QueryString
    {
        get => IsSet(RequestParts.QueryString) ? _queryString! : Cgi.QueryString;
        set => Set(RequestParts.QueryString, ref _queryString, value);
    }

    string IHttpRequestFeature.RawTarget
    {
        get => IsSet(RequestParts.RawTarget) ? _rawTarget! : Cgi.RawTarget;
        set => Set(RequestParts.RawTarget, ref _rawTarget, value);
    }

    IHeaderDictionary IHttpRequestFeature.Headers
    {
        get => IsSet(RequestParts.Headers) ? _requestHeaders! : Cgi.Headers;
        set => Set(RequestParts.Headers, ref _requestHeaders, value);
    }

    private bool IsSet(RequestParts part) => (_setParts & part) != 0;

    private void Set<T>(RequestParts part, ref T? field, T? value)
    {
        ThrowIfOver();
        field = value;
        _setParts |= part;
    }

    private void ResetRequest()
    {
        if (_setParts == RequestParts.None)
        {
            return;
        }

        _setParts = RequestParts.None;
        _protocol = null;
        _scheme = null;
        _method = null;
        _pathBase = null;
        _path = null;
        _queryString = null;
        _rawTarget = null;
        _requestHeaders = null;
    }
}
