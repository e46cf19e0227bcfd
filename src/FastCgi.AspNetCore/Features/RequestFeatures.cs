using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

/// <summary>
/// Everything that the application sees of one request, in one object: each group of features is a file of this class.
/// A new object for each request, so what an application keeps is dead when the request ends, and never the next one's.
/// </summary>
internal sealed partial class RequestFeatures : IHttpRequestLifetimeFeature, IHttpRequestIdentifierFeature
{
    private readonly CgiRequestLease _request;

    // Null once the request has ended. Written by End alone.
    private volatile IRequestControl? _control;
    private IResponseControl? _response;

    // A boxed CancellationToken that the application set; most requests have none.
    private object? _requestAborted;
    private string? _traceIdentifier;

    /// <summary>The features of a request whose params are loaded.</summary>
    /// <param name="control">The request behind the features.</param>
    /// <param name="request">The params.</param>
    /// <param name="maxRequestBodySize">In bytes; null is no limit.</param>
    /// <param name="allowSynchronousIO">The server's default for this request.</param>
    /// <param name="responseHeaderEncodingSelector">
    /// The encoding of a response header's values by name; null is ASCII for all.
    /// </param>
    internal RequestFeatures(
        IRequestControl control,
        CgiRequest request,
        long? maxRequestBodySize,
        bool allowSynchronousIO,
        Func<string, Encoding?>? responseHeaderEncodingSelector)
    {
        _control = control;
        _request = new CgiRequestLease(request);
        _ownResponseHeaders = new ResponseHeaderDictionary(responseHeaderEncodingSelector);
        _responseHeaders = _ownResponseHeaders;
        MaxRequestBodySize = maxRequestBodySize;
        _allowSynchronousIO = allowSynchronousIO;
    }

    private IRequestControl Control => _control ?? ThrowRequestIsOver<IRequestControl>();

    private IResponseControl Response => _response ?? ThrowRequestIsOver<IResponseControl>();

    /// <summary>The response that these features control. Set once, before the application sees them.</summary>
    internal void SetResponse(IResponseControl response) => _response = response;

    /// <inheritdoc cref="IRequestControl.TakeReaderError"/>
    internal Exception? TakeReaderError() => _control?.TakeReaderError();

    /// <summary>The request has ended: from now on every feature throws.</summary>
    internal void End()
    {
        _control = null;
        _request.End();
        _response = null;
        _revision++;
        _ownResponseHeaders.Freeze();
        _onStarting.Clear();
        _ownCertificate?.Dispose();
    }

    private void ThrowIfOver()
    {
        if (_control is null)
        {
            ThrowRequestIsOver<IRequestControl>();
        }
    }

    [DoesNotReturn]
    private static T ThrowRequestIsOver<T>()
        => throw new ObjectDisposedException("HttpContext", "The request has ended, and its features with it.");

    /// <summary>Made when first asked for, which the heartbeat may do beside the application.</summary>
    internal string TraceIdentifier => _traceIdentifier
        ?? Interlocked.CompareExchange(
            ref _traceIdentifier,
            _request.Read(static (cgi, control) => control.CreateTraceIdentifier(cgi.Params), Control),
            null)
        ?? _traceIdentifier;

    CancellationToken IHttpRequestLifetimeFeature.RequestAborted
    {
        get => _requestAborted is CancellationToken own ? own : Response.RequestAborted;
        set
        {
            ThrowIfOver();
            _requestAborted = value;
        }
    }

    string IHttpRequestIdentifierFeature.TraceIdentifier
    {
        get => TraceIdentifier;
        set
        {
            ThrowIfOver();
            _traceIdentifier = value;
        }
    }

    void IHttpRequestLifetimeFeature.Abort() => Response.Abort();

    /// <summary>A value that middleware may set, to null too.</summary>
    private struct Override<T>
    {
        public bool IsSet { get; private set; }

        public T Value
        {
            readonly get;
            set
            {
                field = value;
                IsSet = true;
            }
        }
    }
}
