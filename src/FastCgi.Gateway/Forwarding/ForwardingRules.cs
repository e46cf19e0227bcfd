using FastCgi.Gateway.Documents;

namespace FastCgi.Gateway.Forwarding;

/// <summary>The rules for all requests to one destination.</summary>
internal sealed class ForwardingRules
{
    /// <summary>The address of the application, for messages.</summary>
    public required string Endpoint { get; init; }

    /// <summary>
    /// Limit for the wait for a connection, and then for the application's silence before its response head. Every
    /// piece of the request body that comes or leaves restarts it. Infinite for no limit, for a debugger.
    /// </summary>
    public TimeSpan ResponseTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Limit of the requests that run or wait for a connection; more are answered with 503. Null for no limit.
    /// </summary>
    public int? MaxRequests { get; init; }

    /// <summary>Sets or, with null, removes parameters of a request, after the gateway's own. Null for none.</summary>
    public Action<HttpContext, IDictionary<string, string?>>? TransformParameters { get; init; }

    /// <summary>
    /// Trace headers that the handler creates, so that those of the client are not passed on. If empty, they are.
    /// </summary>
    public IReadOnlyCollection<string> TraceHeaders { get; init; } = [];

    /// <summary>Files that the application may name in its response. Null if it may name none.</summary>
    public InternalFiles? InternalFiles { get; init; }

    public TimeProvider Clock { get; init; } = TimeProvider.System;
}
