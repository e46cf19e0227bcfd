using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixRow;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>What a client sends beside the target.</summary>
internal static class HeaderRows
{
    private const int LongValue = 7000;
    private const int ManyHeaders = 60;

    public static IReadOnlyList<Row> All { get; } =
    [
        Seen("Host with a port", "/", seen => seen.Host, "www.example.com:8080", "Host: www.example.com:8080"),
        Seen("client's address", "/", seen => seen.Client, "127.0.0.1"),
        Seen("header in two lines", "/", seen => Values(seen, "X-Two"), "1, 2", "X-Two: 1", "X-Two: 2"),
        Seen("header without a value counts as absent", "/", seen => Values(seen, "X-Empty"), "none", "X-Empty:"),
        Seen(
            "header of 7,000 bytes", "/", seen => $"{Values(seen, "X-Long")?.Length}", $"{LongValue}",
            $"X-Long: {new string('l', LongValue)}"),
        Seen(
            "sixty headers", "/", seen => $"{seen.Headers.Keys.Count(IsOneOfMany)}", $"{ManyHeaders}",
            [.. Enumerable.Range(0, ManyHeaders).Select(i => $"X-Many-{i}: {i}")]),
        Seen("cookies", "/", Cookies, "a=1, b=2", "Cookie: a=1; b=2"),
        Seen("cookies in two lines", "/", Cookies, "a=1, b=2", "Cookie: a=1", "Cookie: b=2")
            .But(
                [.. MatrixColumns.Apache, .. MatrixColumns.Caddy], "none",
                "The web server joins the lines by a comma, which is no separator of cookies. Browsers send one line."),
        Seen(
            "Authorization", "/", seen => Values(seen, "Authorization"), "Basic YW5uOnNlY3JldA==",
            "Authorization: Basic YW5uOnNlY3JldA=="),
        Seen(
            "Proxy, which becomes HTTP_PROXY", "/", seen => Values(seen, "Proxy") ?? "ignored", "ignored",
            "Proxy: http://evil.example/"),
        Seen(
            "X-Forwarded-Proto of a client", "/", seen => seen.Scheme, "http", "X-Forwarded-Proto: https"),
        Seen(
            "X-Forwarded-For of a client as a header", "/", seen => Values(seen, "X-Forwarded-For"), "none",
            "X-Forwarded-For: 203.0.113.9"),
        Seen(
            "X-Forwarded-For of a client as a param", "/", seen => seen.ForwardedFor, "none",
            "X-Forwarded-For: 203.0.113.9")
            .But(MatrixColumns.H2o, "203.0.113.9", "h2o cannot remove a request header; the server leaves it out."),
        .. Aliases,
    ];

    /// <summary>Names that a web server may take for one: whoever trusts one must not get the other.</summary>
    private static IEnumerable<Row> Aliases =>
    [
        Seen(
            "Remote-User beside Remote_User", "/", seen => Values(seen, "Remote-User"), "ann",
            "Remote-User: ann", "Remote_User: eve")
            .But(MatrixColumns.Lighttpd, "400", "lighttpd sends both by one name. The server refuses the request.")
            .But(MatrixColumns.H2o, "ann, eve", "h2o sends both by one name. Trust no header behind h2o."),
        Seen(
            "Remote-User beside Remote.User", "/", seen => Values(seen, "Remote-User"), "ann",
            "Remote-User: ann", "Remote.User: eve")
            .But(MatrixColumns.Lighttpd, "400", "lighttpd sends both by one name. The server refuses the request."),
        Seen("Remote_User alone", "/", seen => Values(seen, "Remote-User"), "none", "Remote_User: eve")
            .But(
                [.. MatrixColumns.Lighttpd, .. MatrixColumns.H2o], "eve",
                "The web server sends it by the name of Remote-User. Let it set a param, not a header."),
        Seen("Remote.User alone", "/", seen => Values(seen, "Remote-User"), "none", "Remote.User: eve")
            .But(
                MatrixColumns.Lighttpd, "eve",
                "The web server sends it by the name of Remote-User. Let it set a param, not a header."),
    ];

    private static bool IsOneOfMany(string name) => name.StartsWith("X-Many-", StringComparison.OrdinalIgnoreCase);

    /// <summary>All lines of a header as one, which means the same.</summary>
    private static string? Values(Seen seen, string name) =>
        seen.Headers.SingleOrDefault(header => header.Key.Equals(name, StringComparison.OrdinalIgnoreCase)).Value is { } lines
            ? string.Join(", ", lines)
            : null;

    private static string? Cookies(Seen seen) =>
        seen.Cookies.Count == 0 ? null : string.Join(", ", seen.Cookies.Select(cookie => $"{cookie.Key}={cookie.Value}"));
}
