using System.IO.Pipelines;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace FastCgi.AspNetCore.Features;

// The request's head. What middleware sets is what the application reads; the server never looks at it.
internal sealed partial class RequestFeatures : IHttpRequestFeature, IRequestBodyPipeFeature,
    IHttpRequestBodyDetectionFeature, IHttpMaxRequestBodySizeFeature, IHttpBodyControlFeature,
    IBadRequestExceptionFeature, IHttpRequestTrailersFeature, IEndpointFeature, IRouteValuesFeature
{
    private RequestOverrides? _overrides;
    private RequestHeaderDictionary? _requestHeaders;

    private static readonly StreamPipeReaderOptions s_replacedBodyOptions =
        new(leaveOpen: true, useZeroByteReads: true);

    private bool _isBodyReplaced;
    private bool _isUpgraded;
    private Stream? _replacedBody;
    private PipeReader? _replacedBodyReader;

    // -1 is no limit. One word, since the connection reads it while the application may set it.
    private long _maxRequestBodySize = -1;
    private bool _allowSynchronousIO;

    private static readonly HeaderDictionary s_noTrailers = new() { IsReadOnly = true };

    private Endpoint? _endpoint;
    private RouteValueDictionary? _routeValues;

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

    /// <summary>In bytes; null is no limit. Fixed once the application reads.</summary>
    internal long? MaxRequestBodySize
    {
        get => Volatile.Read(ref _maxRequestBodySize) is >= 0 and var size ? size : null;
        private set => Volatile.Write(ref _maxRequestBodySize, value ?? -1);
    }

    Stream IHttpRequestFeature.Body
    {
        get => _isBodyReplaced ? _replacedBody! : Control.RequestStream;
        set
        {
            if (_isBodyReplaced && ReferenceEquals(value, _replacedBody))
            {
                // A new reader would lose the bytes that the first one has buffered.
                return;
            }

            _isBodyReplaced = !ReferenceEquals(value, Control.RequestStream);
            _replacedBody = _isBodyReplaced ? value : null;
            _replacedBodyReader = null;
        }
    }

    PipeReader IRequestBodyPipeFeature.Reader
    {
        get
        {
            if (!_isBodyReplaced)
            {
                return Control.RequestReader;
            }

            if (_replacedBodyReader is null)
            {
                _replacedBodyReader = PipeReader.Create(_replacedBody ?? Stream.Null, s_replacedBodyOptions);
                _onCompleted.Push(CompleteReader, _replacedBodyReader);
            }

            return _replacedBodyReader;
        }
    }

    bool IHttpRequestBodyDetectionFeature.CanHaveBody => Control.CanHaveBody;

    bool IHttpMaxRequestBodySizeFeature.IsReadOnly => Control.HasBodyReadingStarted || _isUpgraded;

    long? IHttpMaxRequestBodySizeFeature.MaxRequestBodySize
    {
        get => MaxRequestBodySize;
        set
        {
            if (((IHttpMaxRequestBodySizeFeature)this).IsReadOnly)
            {
                throw new InvalidOperationException(
                    "The maximum size of the request body cannot change once the application reads the body, or has " +
                    "upgraded the request.");
            }

            if (value is { } size)
            {
                ArgumentOutOfRangeException.ThrowIfNegative(size, nameof(value));
            }

            MaxRequestBodySize = value;
        }
    }

    bool IHttpBodyControlFeature.AllowSynchronousIO
    {
        get => _allowSynchronousIO;
        set
        {
            ThrowIfOver();
            _allowSynchronousIO = value;
        }
    }

    Exception? IBadRequestExceptionFeature.Error => BadRequest;

    /// <summary>The broken rule that a read of the body has met; null for none.</summary>
    internal BadHttpRequestException? BadRequest { get; private set; }

    /// <summary>Says why the server rejects the request.</summary>
    internal void SetBadRequest(BadHttpRequestException exception) => BadRequest ??= exception;

    private static Task CompleteReader(object reader)
    {
        ((PipeReader)reader).Complete();
        return Task.CompletedTask;
    }

    bool IHttpRequestTrailersFeature.Available => true;

    IHeaderDictionary IHttpRequestTrailersFeature.Trailers
    {
        get
        {
            ThrowIfOver();
            return s_noTrailers;
        }
    }

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _endpoint;
        set
        {
            ThrowIfOver();
            _endpoint = value;
        }
    }

    RouteValueDictionary IRouteValuesFeature.RouteValues
    {
        get
        {
            ThrowIfOver();
            return _routeValues ??= [];
        }
        set
        {
            // Null too: the exception handler sets it to start anew.
            ThrowIfOver();
            _routeValues = value;
        }
    }
}
