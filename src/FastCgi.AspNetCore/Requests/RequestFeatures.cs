using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Everything that the application sees of one request, in one object: each group of features is a file of this class.
/// A new object for each request, so what an application keeps is dead when the request ends, and never the next one's.
/// </summary>
internal sealed partial class RequestFeatures : IHttpRequestLifetimeFeature, IHttpRequestIdentifierFeature
{
    // As they are at the beginning. The pooled request serves another connection when this request is over, and what
    // is called late must not reach that one.
    private readonly FastCgiRequest _request;
    private readonly IRequestConnection _connection;
    private readonly ushort _requestId;
    private readonly FastCgiRole _role;
    private readonly bool _keepConnection;
    private readonly bool _isUpgradable;
    private readonly CgiRequestLease _cgi;

    // Null once the request has ended. Written by End alone.
    private volatile ApplicationResponse? _response;

    // A boxed CancellationToken that the application set; most requests have none.
    private object? _requestAborted;
    private string? _traceIdentifier;

    /// <summary>The features of a request that has its params, and its response.</summary>
    internal RequestFeatures(FastCgiRequest request, AbortSignal abort)
    {
        FastCgiServerOptions options = request.Server.Options;
        _request = request;
        _connection = request.Connection;
        _requestId = request.RequestId;
        _role = request.Role;
        _keepConnection = request.KeepConnection;
        _isUpgradable = request.Head.Cgi.IsUpgradable;
        _cgi = new CgiRequestLease(request.Head.Cgi);
        _ownResponseHeaders = new ResponseHeaderDictionary(options.ResponseHeaderEncodingSelector);
        _responseHeaders = _ownResponseHeaders;
        MaxRequestBodySize = request.Server.Limits.MaxRequestBodySize;
        AllowsSynchronousIO = options.AllowSynchronousIO;
        _response = new ApplicationResponse(request, this, abort);
    }

    /// <summary>The response behind these features.</summary>
    /// <exception cref="ObjectDisposedException">The request has ended.</exception>
    internal ApplicationResponse Response => _response ?? ThrowRequestIsOver();

    private FastCgiRequest Request => Living(_request);

    private IRequestConnection Connection => Living(_connection);

    /// <summary>The request has ended: from now on every feature throws.</summary>
    internal void End()
    {
        _response = null;
        _cgi.End();
        _revision++;
        _ownResponseHeaders.Freeze();
        _onStarting.Clear();
        _ownCertificate?.Dispose();
    }

    private T Living<T>(T value)
    {
        ThrowIfOver();
        return value;
    }

    private void ThrowIfOver()
    {
        if (_response is null)
        {
            ThrowRequestIsOver();
        }
    }

    [DoesNotReturn]
    private static ApplicationResponse ThrowRequestIsOver() =>
        throw new ObjectDisposedException("HttpContext", "The request has ended, and its features with it.");

    /// <summary>Made when first asked for, which the heartbeat may do beside the application.</summary>
    internal string TraceIdentifier => _traceIdentifier
        ?? Interlocked.CompareExchange(ref _traceIdentifier, MakeTraceIdentifier(), null)
        ?? _traceIdentifier;

    /// <summary>The id that the params name, or a new one, unique in the process.</summary>
    private string MakeTraceIdentifier() =>
        _cgi.Read(
            static (cgi, parameter) => TraceIdentifiers.Find(cgi.Params, parameter),
            Request.Server.Options.TraceIdentifierParameter)
        ?? TraceIdentifiers.Create(_connection.Id, ServerContext.NextRequestNumber());

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
