using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>A listener, what it listens for, and who may connect to it.</summary>
internal sealed record BoundEndpoint(EndpointListener Listener, FastCgiListenOptions Options, ClientGate Gate)
{
    /// <summary>The socket was passed to the process, and outlives it.</summary>
    public required bool IsInherited { get; init; }

    /// <summary>What is really bound, whatever was asked for.</summary>
    public string Address => FastCgiAddress.Format(Listener.LocalEndPoint, Options.Protocol);
}
