using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The upgrade of the connection: there where the endpoint allows it, also for a request that does not ask for it. Its
// presence makes SignalR and Blazor offer WebSockets, and they are asked by a request of its own (the negotiation).
internal sealed partial class RequestFeatures : IHttpUpgradeFeature
{
    bool IHttpUpgradeFeature.IsUpgradableRequest => Control.IsUpgradable;

    Task<Stream> IHttpUpgradeFeature.UpgradeAsync() => Control.UpgradeAsync();

    /// <summary>The head of an upgrade, and nothing of what comes is counted against the limit of a body.</summary>
    internal void Upgrade()
    {
        StatusCode = StatusCodes.Status101SwitchingProtocols;
        _responseHeaders.Connection = "Upgrade";
        MaxRequestBodySize = null;
        _isUpgraded = true;
    }
}
