using FastCgi.Protocol;

namespace FastCgi.Testing;

/// <summary>A request for a <see cref="FastCgiTestConnection"/>, as a web server would send it.</summary>
/// <param name="method">REQUEST_METHOD, sent as it is.</param>
/// <param name="target">REQUEST_URI: path and query, undecoded, sent as it is.</param>
public sealed class FastCgiTestRequest(string method = "GET", string target = "/")
{
    /// <summary>REQUEST_METHOD.</summary>
    public string Method { get; } = method ?? throw new ArgumentNullException(nameof(method));

    /// <summary>REQUEST_URI. Determines DOCUMENT_URI, PATH_INFO and QUERY_STRING.</summary>
    public string Target { get; } = target ?? throw new ArgumentNullException(nameof(target));

    /// <summary>Header fields, each sent as HTTP_ and its name in upper case. Default none.</summary>
    public IDictionary<string, string> Headers { get; } =
        new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Other parameters. They override all others with the same name, including those of the connection. A null value
    /// removes a parameter. Default none.
    /// </summary>
    public IDictionary<string, string?> Parameters { get; } =
        new Dictionary<string, string?>(StringComparer.Ordinal);

    /// <summary>
    /// The body. Default empty. After <see cref="FastCgiTestConnection.StartAsync"/> the test can send more, up to
    /// <see cref="ContentLength"/>.
    /// </summary>
    public ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>CONTENT_TYPE. Default null: none.</summary>
    public string? ContentType { get; init; }

    /// <summary>
    /// CONTENT_LENGTH in bytes. Default null: the length of <see cref="Body"/>, and none without a body (0 for POST,
    /// PUT and PATCH). A value larger than the body means an incomplete body.
    /// </summary>
    public long? ContentLength { get; init; }

    /// <summary>FCGI_KEEP_CONN (FastCGI 1.0, section 5.1). Default true: another request can follow.</summary>
    public bool KeepConnection { get; init; } = true;

    /// <summary>The role (FastCGI 1.0, section 6). Default <see cref="FastCgiRole.Responder"/>.</summary>
    public FastCgiRole Role { get; init; } = FastCgiRole.Responder;
}
