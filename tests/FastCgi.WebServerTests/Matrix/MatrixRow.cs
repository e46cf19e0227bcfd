using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>Rows that are asked of every web server, and tell their outcome in a few words.</summary>
internal static class MatrixRow
{
    public static Row Of(string name, Func<MatrixSite, Task<string>> ask, string expected) =>
        Row.Told(name, ask, expected);

    /// <summary>A request without a body, and what the application sees of it.</summary>
    public static Row Seen(
        string name,
        string target,
        Func<Seen, string?> aspect,
        string expected,
        params IReadOnlyList<string> headers) =>
        Of(name, site => site.SeenAsync(Request("GET", target, headers), aspect), expected);

    /// <summary>A request without a body, and what the client gets.</summary>
    public static Row Got(
        string name,
        string target,
        Func<RawResponse, string> aspect,
        string expected,
        params IReadOnlyList<string> headers) =>
        Of(name, site => site.GotAsync(Request("GET", target, headers), aspect), expected);

    public static string Request(string method, string target, params IReadOnlyList<string> headers)
    {
        IEnumerable<string> host = headers.Any(static header => header.StartsWith("Host:", StringComparison.Ordinal))
            ? []
            : ["Host: www.example.com"];
        return Row.RequestOf($"{method} {target} HTTP/1.1", [.. host, .. headers]);
    }
}
