using System.Net;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>The decisions about a connection's metrics, made when it began.</summary>
internal sealed record ConnectionMetricsContext(
    EndPoint? EndPoint, bool IsActiveCounted, ConnectionMetricsTags? DurationTags);
