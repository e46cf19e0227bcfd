using FastCgi.Gateway.Documents;

namespace FastCgi.Gateway.Forwarding;

/// <summary>The rules for all requests to one destination.</summary>
internal sealed class ForwardingRules
{
    /// <summary>For messages: where the application listens.</summary>
    public required string Endpoint { get; init; }

    /// <summary>
    /// How long a request may wait for a connection, and then the application send nothing before its response head.
    /// Every piece of the request body that comes or leaves begins it anew. Infinite: no limit, for a debugger.
    /// </summary>
    public TimeSpan ResponseTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The most requests that are under way or wait for a connection; more are answered with 503. Null: no limit.
    /// </summary>
    public int? MaxRequests { get; init; }

    /// <summary>Sets parameters of a request, or removes them by null, after the gateway's own. Null: none.</summary>
    public Action<HttpContext, IDictionary<string, string?>>? TransformParameters { get; init; }

    /// <summary>
    /// Headers of a trace, which the handler writes anew, so that those of the client do not pass. Empty: they pass.
    /// </summary>
    public IReadOnlyCollection<string> TraceHeaders { get; init; } = [];

    /// <summary>Files that the application names in its response. Null: it can name none.</summary>
    public InternalFiles? InternalFiles { get; init; }

    public TimeProvider Clock { get; init; } = TimeProvider.System;
}
