using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>An endpoint as it was asked for, and the listener that it became.</summary>
internal sealed record BoundEndpoint(FastCgiListenOptions Options, EndpointListener Listener)
{
    public string Address => Options.FileHandle is null || Listener.LocalEndPoint is not null
        ? FastCgiAddress.Format(Listener.LocalEndPoint)
        : Options.ToString();
}
