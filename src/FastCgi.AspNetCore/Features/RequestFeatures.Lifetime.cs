using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The request's life and name.
internal sealed partial class RequestFeatures : IHttpRequestLifetimeFeature, IHttpRequestIdentifierFeature
{
    // A boxed CancellationToken that the application set; most requests have none.
    private object? _requestAborted;
    private string? _traceIdentifier;

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
}
