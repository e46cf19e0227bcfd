namespace FastCgi.AspNetCore.Hosting;

/// <summary>Null until a gateway sets it.</summary>
internal sealed class GatewayFeature : IFastCgiGatewayFeature
{
    public Action<FastCgiServerOptions>? AddEndpoints { get; set; }
}
