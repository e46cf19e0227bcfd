using FastCgi.MatrixApp;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>Something that is asked of every web server.</summary>
/// <param name="Name">What it is about; names the test.</param>
/// <param name="Ask">Asks, and tells in a few words what came of it.</param>
/// <param name="Expected">What has to come of it.</param>
internal sealed record MatrixRow(
    string Name,
    Func<MatrixSite, Task<string>> Ask,
    string Expected,
    params IReadOnlyList<MatrixDifference> Differences)
{
    /// <summary>A request without a body, and what the application sees of it.</summary>
    public static MatrixRow Seen(
        string name,
        string target,
        Func<Seen, string?> aspect,
        string expected,
        params IReadOnlyList<string> headers) =>
        new(name, site => site.SeenAsync(Request("GET", target, headers), aspect), expected);

    /// <summary>A request without a body, and what the client gets.</summary>
    public static MatrixRow Got(
        string name,
        string target,
        Func<RawResponse, string> aspect,
        string expected,
        params IReadOnlyList<string> headers) =>
        new(name, site => site.GotAsync(Request("GET", target, headers), aspect), expected);

    public static string Request(string method, string target, params IReadOnlyList<string> headers)
    {
        IEnumerable<string> host = headers.Any(static header => header.StartsWith("Host:", StringComparison.Ordinal))
            ? []
            : ["Host: www.example.com"];
        return $"{string.Join("\r\n", [$"{method} {target} HTTP/1.1", .. host, .. headers])}\r\n\r\n";
    }

    /// <summary>This row with an outcome of its own on these columns, and why that is right.</summary>
    public MatrixRow But(IReadOnlyList<MatrixColumn> columns, string outcome, string reason) =>
        this with { Differences = [.. Differences, new MatrixDifference(columns, outcome, reason)] };

    public MatrixDifference? DifferenceOn(MatrixColumn column) =>
        Differences.SingleOrDefault(difference => difference.Columns.Contains(column));

    public string ExpectedOn(MatrixColumn column) => DifferenceOn(column)?.Outcome ?? Expected;
}
