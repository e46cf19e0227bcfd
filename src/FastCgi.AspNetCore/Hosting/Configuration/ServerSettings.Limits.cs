namespace FastCgi.AspNetCore.Hosting.Configuration;

// The sections FastCgi:Limits and FastCgi:Status.
internal sealed partial class ServerSettings
{
    private static readonly SettingTable<FastCgiServerLimits> s_limits = new(
        (nameof(FastCgiServerLimits.KeepAliveTimeout),
            static (limits, value) => limits.KeepAliveTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.MaxConcurrentConnections),
            static (limits, value) => limits.MaxConcurrentConnections = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxConcurrentRequests),
            static (limits, value) => limits.MaxConcurrentRequests = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxConcurrentRequestsPerConnection),
            static (limits, value) => limits.MaxConcurrentRequestsPerConnection = value.Integer()),
        (nameof(FastCgiServerLimits.MaxConcurrentUpgradedConnections),
            static (limits, value) => limits.MaxConcurrentUpgradedConnections = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxRequestBodySize),
            static (limits, value) => limits.MaxRequestBodySize = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxRequestBufferSize),
            static (limits, value) => limits.MaxRequestBufferSize = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxRequestHeaderCount),
            static (limits, value) => limits.MaxRequestHeaderCount = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestHeadersTotalSize),
            static (limits, value) => limits.MaxRequestHeadersTotalSize = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestLineSize),
            static (limits, value) => limits.MaxRequestLineSize = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestParameterCount),
            static (limits, value) => limits.MaxRequestParameterCount = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestParametersTotalSize),
            static (limits, value) => limits.MaxRequestParametersTotalSize = value.Integer()),
        (nameof(FastCgiServerLimits.MaxResponseBufferSize),
            static (limits, value) => limits.MaxResponseBufferSize = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MinRequestBodyDataRate),
            static (limits, value) => limits.MinRequestBodyDataRate =
                value.DataRateOrNone(limits.MinRequestBodyDataRate)),
        (nameof(FastCgiServerLimits.MinResponseDataRate),
            static (limits, value) => limits.MinResponseDataRate = value.DataRateOrNone(limits.MinResponseDataRate)),
        (nameof(FastCgiServerLimits.RequestBodyDrainTimeout),
            static (limits, value) => limits.RequestBodyDrainTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.RequestHeadersTimeout),
            static (limits, value) => limits.RequestHeadersTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.RequestTimeout),
            static (limits, value) => limits.RequestTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.SendTimeout),
            static (limits, value) => limits.SendTimeout = value.Duration()));

    private static readonly SettingTable<FastCgiStatusOptions> s_status = new(
        (nameof(FastCgiStatusOptions.AllowedClients), static (status, value) => Replace(status.AllowedClients, value)),
        (nameof(FastCgiStatusOptions.Endpoint), static (status, value) => status.Endpoint = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.Path), static (status, value) => status.Path = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.PingPath), static (status, value) => status.PingPath = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.UnixGroup), static (status, value) => status.UnixGroup = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.UnixMode), static (status, value) => status.UnixMode = value.ModeOrNone()));
}
