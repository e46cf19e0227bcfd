using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Everything that the application sees of one request, in one object: each group of features is a file of this class.
/// A new object for each request, so an object that an application keeps no longer works after the end of the request.
/// </summary>
internal sealed partial class RequestFeatures : IHttpRequestLifetimeFeature, IHttpRequestIdentifierFeature
{
    // Stored at the start. After the end of this request the pooled object may serve another connection, which late
    // calls must not reach.
    private readonly FastCgiRequest _request;
    private readonly IRequestConnection _connection;
    private readonly ushort _requestId;
    private readonly FastCgiRole _role;
    private readonly bool _keepConnection;
    private readonly bool _isUpgradable;
    private readonly CgiRequestLease _cgi;

    // Null once the request has ended. Only End writes it.
    private volatile ApplicationResponse? _response;

    // A boxed CancellationToken that the application set. Most requests have none.
    private object? _requestAborted;
    private string? _traceIdentifier;

    /// <summary>Creates the features and the response of a request whose params are complete.</summary>
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
        ResponseHeaders = _ownResponseHeaders;
        MaxRequestBodySize = request.Server.Limits.MaxRequestBodySize;
        AllowsSynchronousIO = options.AllowSynchronousIO;
        AllowsFileHandover = true;
        _response = new ApplicationResponse(request, this, abort);
    }

    /// <exception cref="ObjectDisposedException">The request has ended.</exception>
    internal ApplicationResponse Response => _response ?? ThrowRequestIsOver();

    private FastCgiRequest Request => Living(_request);

    private IRequestConnection Connection => Living(_connection);

    /// <summary>Ends the features with the request: from now on each one throws.</summary>
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

    /// <summary>Created when first asked for. The heartbeat may ask while the application does.</summary>
    internal string TraceIdentifier => _traceIdentifier
        ?? Interlocked.CompareExchange(ref _traceIdentifier, MakeTraceIdentifier(), null)
        ?? _traceIdentifier;

    /// <summary>The id from the params, or a new one, unique in the process.</summary>
    private string MakeTraceIdentifier() =>
        _cgi.Read(
            static (cgi, parameter) => TraceIdentifiers.Find(cgi.Params, parameter),
            Request.Server.Options.TraceIdentifierParameter)
        ?? TraceIdentifiers.Create(_connection.Id);

    CancellationToken IHttpRequestLifetimeFeature.RequestAborted
    {
        get => _requestAborted is CancellationToken own ? own : Response.RequestAborted;
        set => _requestAborted = Living(value);
    }

    string IHttpRequestIdentifierFeature.TraceIdentifier
    {
        get => TraceIdentifier;
        set => _traceIdentifier = Living(value);
    }

    void IHttpRequestLifetimeFeature.Abort() => Response.Abort();

    /// <summary>A value that middleware may set, even to null.</summary>
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
