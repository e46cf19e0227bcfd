namespace FastCgi.AspNetCore.Server;

/// <summary>A snapshot of one running request. Its texts are printable ASCII.</summary>
/// <param name="State">The state, in PHP-FPM's words.</param>
/// <param name="Begun">The time since BEGIN_REQUEST.</param>
/// <param name="Requests">The number of requests on its connection so far, including this one.</param>
internal sealed record RequestSnapshot(string State, TimeSpan Begun, long Requests)
{
    /// <summary>Null until the params are complete, like the following properties.</summary>
    public string? Method { get; init; }

    /// <summary>The path and query, as the web server sent them.</summary>
    public string? Target { get; init; }

    /// <summary>In bytes; 0 if unknown.</summary>
    public long ContentLength { get; init; }

    /// <summary>REMOTE_USER.</summary>
    public string? User { get; init; }

    /// <summary>SCRIPT_FILENAME.</summary>
    public string? Script { get; init; }
}
