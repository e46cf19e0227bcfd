using System.Net;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>What was decided about a connection's metrics when it began.</summary>
internal readonly record struct ConnectionMetricsContext(
    EndPoint? EndPoint, bool IsActiveCounted, ConnectionMetricsTags? DurationTags);
