namespace FastCgi.Client.Connections;

/// <summary>How many connections there are, and for how long.</summary>
internal sealed record PoolLimits(int MaxConnections, TimeSpan IdleTimeout, TimeSpan Lifetime);
