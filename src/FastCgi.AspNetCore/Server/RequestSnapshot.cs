namespace FastCgi.AspNetCore.Server;

/// <summary>One running request, as it was when somebody looked.</summary>
internal sealed record RequestSnapshot
{
    /// <summary>In the words of PHP-FPM.</summary>
    public required string State { get; init; }

    /// <summary>The time since BEGIN_REQUEST.</summary>
    public required TimeSpan Begun { get; init; }

    /// <summary>The number of requests that its connection has brought, this one included.</summary>
    public required long Requests { get; init; }

    /// <summary>Printable ASCII, as everything that follows; null until the params have come.</summary>
    public string? Method { get; init; }

    /// <summary>Path and query as the web server sent them.</summary>
    public string? Target { get; init; }

    /// <summary>In bytes; 0 where it is unknown.</summary>
    public long ContentLength { get; init; }

    /// <summary>REMOTE_USER.</summary>
    public string? User { get; init; }

    /// <summary>SCRIPT_FILENAME.</summary>
    public string? Script { get; init; }
}
