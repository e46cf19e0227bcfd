using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixRow;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>What stands in a request line.</summary>
internal static class TargetRows
{
    private const int LongPath = 4000;
    private const int Segment = 100;

    private const string TakenForPath =
        "h2o takes the whole URL for a path, and so does the application, as an HTTP back end behind h2o does.";

    public static IReadOnlyList<Row> All { get; } =
    [
        Seen("encoded slash", "/a%2Fb", seen => seen.Path, "/a%2Fb"),
        Seen("encoded space and percent", "/a%20b%25c", seen => seen.Path, "/a b%c"),
        Seen("encoded UTF-8", "/gr%C3%BC%C3%9Fe/%E2%82%AC", seen => seen.Path, "/grüße/€"),
        Seen("doubled slashes", "//a//b", seen => seen.Path, "//a//b"),
        Seen("dot segments", "/a/./b/../c", seen => seen.Path, "/a/c"),
        Seen("encoded dot segments", "/a/%2e%2e/b", seen => seen.Path, "/b"),
        Seen(
            "query with special characters", "/?a=%26%2f&b=x+y&c=[1]|/?&a=2", seen => seen.Query,
            "?a=%26%2f&b=x+y&c=[1]|/?&a=2"),
        Seen(
            "absolute target", "http://www.example.com/a%2Fb?c=d", seen => $"{seen.Host} {seen.Path}{seen.Query}",
            "www.example.com /a%2Fb?c=d")
            .But(MatrixColumns.H2o, "www.example.com /http://www.example.com/a/b?c=d", TakenForPath),
        Seen(
            "absolute target and another Host", "http://www.example.com/", seen => seen.Host, "www.example.com",
            "Host: other.example")
            .But([.. MatrixColumns.Lighttpd, .. MatrixColumns.Haproxy], "400", "lighttpd and HAProxy refuse it.")
            .But(MatrixColumns.H2o, "other.example", TakenForPath),
        Seen("path of 4,000 bytes", LongTarget, seen => $"{seen.Path.Length}", $"{LongPath}"),
        .. Methods,
    ];

    private static string LongTarget =>
        string.Concat(Enumerable.Repeat($"/{new string('p', Segment - 1)}", LongPath / Segment));

    private static IEnumerable<Row> Methods =>
        from method in new[] { "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND" }
        select Of(
            $"method {method}",
            site => site.SeenAsync(Request(method, "/a", "Content-Length: 0"), seen => seen.Method),
            method);
}
