namespace FastCgi.Gateway.Forwarding;

/// <summary>All event ids of the gateway. They do not overlap with those of the server.</summary>
internal static class GatewayEvents
{
    // 600: the forwarder.
    public const int BadGateway = 600;
    public const int ServiceUnavailable = 601;
    public const int GatewayTimeout = 602;
    public const int ResponseTorn = 603;
    public const int RequestRefused = 604;
    public const int ClientAborted = 605;
    public const int ResponseHeaderDropped = 606;
    public const int Upgraded = 607;
    public const int StandardError = 608;
    public const int FileHeaderRemoved = 609;

    // 620: the development gateway.
    public const int DevelopmentGatewayStarted = 620;
    public const int LargeRequestBody = 621;
    public const int UpgradeByScgi = 622;
    public const int WebServerErrorLog = 623;
    public const int DevelopmentGatewayOff = 624;
}
