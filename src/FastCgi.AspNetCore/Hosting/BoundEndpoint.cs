using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>A listener, and who may connect to it.</summary>
internal sealed record BoundEndpoint(EndpointListener Listener, ClientGate Gate)
{
    /// <summary>What is really bound, whatever was asked for.</summary>
    public string Address => FastCgiAddress.Format(Listener.LocalEndPoint);
}
