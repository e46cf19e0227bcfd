namespace FastCgi.TestKit;

/// <summary>A request as a test describes it, and the params that nginx with its own file would make of it.</summary>
public sealed record RequestScript
{
    public int Id { get; init; } = 1;

    public int Role { get; init; } = 1;

    public bool KeepConnection { get; init; } = true;

    public string Method { get; init; } = "GET";

    /// <summary>Path and query as the browser sent them.</summary>
    public string Target { get; init; } = "/";

    public IReadOnlyList<(string Name, string Value)> Headers { get; init; } = [];

    public byte[] Body { get; init; } = [];

    /// <summary>Further params, behind all others: the last one of a name wins.</summary>
    public IReadOnlyList<(string Name, string Value)> ExtraParams { get; init; } = [];

    public IReadOnlyList<(string Name, string Value)> ToParams()
    {
        var query = Target.IndexOf('?', StringComparison.Ordinal);
        var path = query < 0 ? Target : Target[..query];
        if (path.IndexOf("://", StringComparison.Ordinal) is > 0 and var scheme)
        {
            var start = path.IndexOf('/', scheme + 3);
            path = start < 0 ? "/" : path[start..];
        }

        path = Uri.UnescapeDataString(path);
        List<(string, string)> pairs =
        [
            ("QUERY_STRING", query < 0 ? "" : Target[(query + 1)..]),
            ("REQUEST_METHOD", Method),
            ("CONTENT_TYPE", ValueOf("Content-Type")),
            ("CONTENT_LENGTH", Body.Length == 0 ? "" : $"{Body.Length}"),
            ("SCRIPT_NAME", path),
            ("REQUEST_URI", Target),
            ("DOCUMENT_URI", path),
            ("SERVER_PROTOCOL", "HTTP/1.1"),
            ("REQUEST_SCHEME", "http"),
            ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("SERVER_SOFTWARE", "scripted-peer/1"),
            ("REMOTE_ADDR", "192.0.2.7"),
            ("REMOTE_PORT", "50123"),
            ("SERVER_ADDR", "192.0.2.1"),
            ("SERVER_PORT", "80"),
            ("SERVER_NAME", "example.test"),
        ];
        if (ValueOf("Host").Length == 0)
        {
            pairs.Add(("HTTP_HOST", "example.test"));
        }

        pairs.AddRange(Headers.Select(header => (ParamName(header.Name), header.Value)));
        pairs.AddRange(ExtraParams);
        return pairs;
    }

    private string ValueOf(string header) =>
        Headers.FirstOrDefault(h => h.Name.Equals(header, StringComparison.OrdinalIgnoreCase)).Value ?? "";

    private static string ParamName(string header) =>
        "HTTP_" + header.ToUpperInvariant().Replace('-', '_');
}
