namespace FastCgi.AspNetCore.Hosting;

/// <summary>Null and false until a gateway sets them.</summary>
internal sealed class GatewayFeature : IFastCgiGatewayFeature
{
    public Action<FastCgiServerOptions>? AddEndpoints { get; set; }

    public bool KestrelListens { get; set; }
}
