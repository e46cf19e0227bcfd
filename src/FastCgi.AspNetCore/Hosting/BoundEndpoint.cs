using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>A listener and the terms on which it accepts.</summary>
internal sealed class BoundEndpoint(EndpointListener listener, EndpointTerms terms)
{
    public EndpointListener Listener { get; } = listener;

    /// <summary>The terms for connections that are accepted from now on. A reload may replace them.</summary>
    public EndpointTerms Terms { get; set; } = terms;

    /// <summary>The bound address, which may differ from the requested one.</summary>
    public string Address => FastCgiAddress.Format(Listener.LocalEndPoint, Terms.Options.Protocol);

    /// <summary>True if the options ask for this socket: with the same endpoint, or its address if inherited.</summary>
    public bool Serves(FastCgiListenOptions wanted) => wanted.EndPoint is { } endPoint
        ? endPoint.Equals(Terms.Options.EndPoint)
            || (Listener.IsInherited && endPoint.Equals(Listener.LocalEndPoint))
        : wanted.FileHandle == Listener.InheritedHandle;
}
