using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>A listener, and the terms on which it accepts. A reload may put others in their place.</summary>
internal sealed class BoundEndpoint(EndpointListener listener, EndpointTerms terms, ulong? inheritedHandle)
{
    private volatile EndpointTerms _terms = terms;

    public EndpointListener Listener { get; } = listener;

    /// <summary>For connections that are accepted from now on.</summary>
    public EndpointTerms Terms
    {
        get => _terms;
        set => _terms = value;
    }

    /// <summary>The socket was passed to the process, and outlives it.</summary>
    public bool IsInherited => InheritedHandle is not null;

    /// <summary>The descriptor of a socket that was passed to the process; null where the server has made it.</summary>
    public ulong? InheritedHandle { get; } = inheritedHandle;

    /// <summary>The address that is bound, whichever was requested.</summary>
    public string Address => FastCgiAddress.Format(Listener.LocalEndPoint, Terms.Options.Protocol);

    /// <summary>Whether the options ask for this socket: by the same words, or by its address if inherited.</summary>
    public bool Serves(FastCgiListenOptions wanted) => wanted.EndPoint is { } endPoint
        ? endPoint.Equals(Terms.Options.EndPoint) || (IsInherited && endPoint.Equals(Listener.LocalEndPoint))
        : wanted.FileHandle == (InheritedHandle ?? Terms.Options.FileHandle);
}
