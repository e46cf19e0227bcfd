namespace FastCgi.AspNetCore.Connections;

/// <summary>A slow request as a log names it.</summary>
internal readonly record struct SlowRequestText(string TraceIdentifier, string Target, double Seconds, string State);
