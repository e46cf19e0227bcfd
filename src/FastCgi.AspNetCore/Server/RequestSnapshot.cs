namespace FastCgi.AspNetCore.Server;

/// <summary>One running request, as it was when somebody looked. Its texts are printable ASCII.</summary>
/// <param name="State">In the words of PHP-FPM.</param>
/// <param name="Begun">How long ago BEGIN_REQUEST came.</param>
/// <param name="Requests">How many requests its connection has brought, this one included.</param>
internal sealed record RequestSnapshot(string State, TimeSpan Begun, long Requests)
{
    /// <summary>Null until the params have come, as what follows.</summary>
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
