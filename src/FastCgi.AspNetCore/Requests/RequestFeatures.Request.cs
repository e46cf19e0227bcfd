using System.IO.Pipelines;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Requests.Body;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace FastCgi.AspNetCore.Requests;

// The request's head. Values that middleware sets are only for the application; the server never reads them.
internal sealed partial class RequestFeatures : IHttpRequestFeature, IRequestBodyPipeFeature,
    IHttpRequestBodyDetectionFeature, IHttpMaxRequestBodySizeFeature, IHttpBodyControlFeature,
    IBadRequestExceptionFeature, IHttpRequestTrailersFeature, IEndpointFeature, IRouteValuesFeature
{
    // No web server passes on request trailers, so it is known from the start that there are none.
    private static readonly HeaderDictionary s_noTrailers = new() { IsReadOnly = true };
    private static readonly StreamPipeReaderOptions s_replacedBodyOptions =
        new(leaveOpen: true, useZeroByteReads: true);

    private RequestOverrides? _overrides;
    private RequestHeaderDictionary? _requestHeaders;
    private BodyStream? _bodyStream;
    private RequestBodyReader? _bodyReader;
    private bool _isBodyReplaced;
    private Stream? _replacedBody;
    private PipeReader? _replacedBodyReader;

    // -1 for no limit. A single word, because the connection may read it while the application sets it.
    private long _maxRequestBodySize = -1;

    // Values of routing. Stored here because every routed request would otherwise need two objects for them.
    private Endpoint? _endpoint;
    private RouteValueDictionary? _routeValues;

    string IHttpRequestFeature.Protocol
    {
        get => _overrides is { Protocol.IsSet: true } own
            ? own.Protocol.Value
            : _cgi.Read(static cgi => cgi.Protocol);
        set => Overrides.Protocol.Value = value;
    }

    string IHttpRequestFeature.Scheme
    {
        get => _overrides is { Scheme.IsSet: true } own ? own.Scheme.Value : _cgi.Read(static cgi => cgi.Scheme);
        set => Overrides.Scheme.Value = value;
    }

    string IHttpRequestFeature.Method
    {
        get => _overrides is { Method.IsSet: true } own ? own.Method.Value : _cgi.Read(static cgi => cgi.Method);
        set => Overrides.Method.Value = value;
    }

    string IHttpRequestFeature.PathBase
    {
        get => _overrides is { PathBase.IsSet: true } own
            ? own.PathBase.Value
            : _cgi.Read(static cgi => cgi.PathBase);
        set => Overrides.PathBase.Value = value;
    }

    string IHttpRequestFeature.Path
    {
        get => _overrides is { Path.IsSet: true } own ? own.Path.Value : _cgi.Read(static cgi => cgi.Path);
        set => Overrides.Path.Value = value;
    }

    string IHttpRequestFeature.QueryString
    {
        get => _overrides is { QueryString.IsSet: true } own
            ? own.QueryString.Value
            : _cgi.Read(static cgi => cgi.QueryString);
        set => Overrides.QueryString.Value = value;
    }

    string IHttpRequestFeature.RawTarget
    {
        get => _overrides is { RawTarget.IsSet: true } own
            ? own.RawTarget.Value
            : _cgi.Read(static cgi => cgi.RawTarget);
        set => Overrides.RawTarget.Value = value;
    }

    IHeaderDictionary IHttpRequestFeature.Headers
    {
        get => _overrides is { Headers.IsSet: true } own
            ? own.Headers.Value
            : _requestHeaders ??= new RequestHeaderDictionary(_cgi);
        set => Overrides.Headers.Value = value;
    }

    /// <summary>In bytes; null for no limit. Fixed after the application's first read.</summary>
    internal long? MaxRequestBodySize
    {
        get => Volatile.Read(ref _maxRequestBodySize) is >= 0 and var size ? size : null;
        private set => Volatile.Write(ref _maxRequestBodySize, value ?? -1);
    }

    Stream IHttpRequestFeature.Body
    {
        get => _isBodyReplaced ? _replacedBody! : OwnBody;
        set
        {
            if (_isBodyReplaced && ReferenceEquals(value, _replacedBody))
            {
                // A new reader would lose the bytes that the first one has buffered.
                return;
            }

            _isBodyReplaced = !ReferenceEquals(value, OwnBody);
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
                return OwnBodyReader;
            }

            if (_replacedBodyReader is null)
            {
                _replacedBodyReader = PipeReader.Create(_replacedBody ?? Stream.Null, s_replacedBodyOptions);
                _onCompleted.Push(CompleteReader, _replacedBodyReader);
            }

            return _replacedBodyReader;
        }
    }

    private BodyStream OwnBody => Living(_bodyStream ??= new BodyStream(OwnBodyReader, writer: null, Response));

    /// <summary>If OnCompleted asks for the first reader, its owner has no body, so every read throws.</summary>
    private RequestBodyReader OwnBodyReader =>
        Living(_bodyReader ??= new RequestBodyReader(_request.Body, Response.IsOver ? this : Response));

    bool IHttpRequestBodyDetectionFeature.CanHaveBody => !Request.Body.IsKnownEmpty
        && (_request.Head.Cgi.ContentLength != 0 || _request.Head.HasCutBody);

    bool IHttpMaxRequestBodySizeFeature.IsReadOnly => Request.Body.HasReadingStarted || Response.IsUpgrade;

    /// <inheritdoc cref="RequestBodyReader.TakeError"/>
    internal Exception? TakeReaderError() => _bodyReader?.TakeError();

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
        get => AllowsSynchronousIO;
        set => AllowsSynchronousIO = Living(value);
    }

    /// <summary>True if a read or a write of a body may block its thread while it waits.</summary>
    internal bool AllowsSynchronousIO { get; private set; }

    Exception? IBadRequestExceptionFeature.Error => BadRequest;

    /// <summary>The rule that the body has broken, found by a read; null if none.</summary>
    internal BadHttpRequestException? BadRequest { get; private set; }

    internal void SetBadRequest(BadHttpRequestException exception) => BadRequest ??= exception;

    private static Task CompleteReader(object reader)
    {
        ((PipeReader)reader).Complete();
        return Task.CompletedTask;
    }

    bool IHttpRequestTrailersFeature.Available => true;

    IHeaderDictionary IHttpRequestTrailersFeature.Trailers => Living(s_noTrailers);

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _endpoint;
        set => _endpoint = Living(value);
    }

    RouteValueDictionary IRouteValuesFeature.RouteValues
    {
        get => Living(_routeValues ??= []);

        // Null is allowed: the exception handler sets it to start again.
        set => _routeValues = Living(value);
    }

    private RequestOverrides Overrides => Living(_overrides ??= new RequestOverrides());

    /// <summary>The values that middleware has set. Most requests have none.</summary>
    private sealed class RequestOverrides
    {
        public Override<string> Protocol;
        public Override<string> Scheme;
        public Override<string> Method;
        public Override<string> PathBase;
        public Override<string> Path;
        public Override<string> QueryString;
        public Override<string> RawTarget;
        public Override<IHeaderDictionary> Headers;
    }
}
