namespace FastCgi.AspNetCore.Server;

/// <summary>One running request, as it was when somebody looked.</summary>
/// <param name="State">In the words of PHP-FPM.</param>
/// <param name="Begun">How long ago BEGIN_REQUEST came.</param>
/// <param name="Requests">How many requests its connection has brought, this one included.</param>
/// <param name="Method">Printable ASCII, as everything that follows; null until the params have come.</param>
/// <param name="Target">Path and query as the web server sent them.</param>
/// <param name="ContentLength">In bytes; 0 where it is unknown.</param>
/// <param name="User">REMOTE_USER.</param>
/// <param name="Script">SCRIPT_FILENAME.</param>
internal sealed record RequestSnapshot(
    string State,
    TimeSpan Begun,
    long Requests,
    string? Method = null,
    string? Target = null,
    long ContentLength = 0,
    string? User = null,
    string? Script = null);
