using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>A listener and the terms on which it accepts. A reload may replace the terms.</summary>
internal sealed class BoundEndpoint(EndpointListener listener, EndpointTerms terms, ulong? inheritedHandle)
{
    private volatile EndpointTerms _terms = terms;

    public EndpointListener Listener { get; } = listener;

    /// <summary>The terms for connections that are accepted from now on.</summary>
    public EndpointTerms Terms
    {
        get => _terms;
        set => _terms = value;
    }

    /// <summary>True if the socket was passed to the process. It outlives the process.</summary>
    public bool IsInherited => InheritedHandle is not null;

    /// <summary>The descriptor of a socket that was passed to the process; null for the server's own.</summary>
    public ulong? InheritedHandle { get; } = inheritedHandle;

    /// <summary>The bound address, which may differ from the requested one.</summary>
    public string Address => FastCgiAddress.Format(Listener.LocalEndPoint, Terms.Options.Protocol);

    /// <summary>True if the options ask for this socket: with the same endpoint, or its address if inherited.</summary>
    public bool Serves(FastCgiListenOptions wanted) => wanted.EndPoint is { } endPoint
        ? endPoint.Equals(Terms.Options.EndPoint) || (IsInherited && endPoint.Equals(Listener.LocalEndPoint))
        : wanted.FileHandle == (InheritedHandle ?? Terms.Options.FileHandle);
}
