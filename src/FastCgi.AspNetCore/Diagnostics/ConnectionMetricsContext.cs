using System.Net;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>What was decided about a connection's metrics when it began.</summary>
internal sealed record ConnectionMetricsContext(
    EndPoint? EndPoint, bool IsActiveCounted, ConnectionMetricsTags? DurationTags);
