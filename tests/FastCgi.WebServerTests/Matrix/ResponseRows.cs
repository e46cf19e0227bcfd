using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixRow;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>What applications answer.</summary>
internal static class ResponseRows
{
    private const int Large = 10 * 1024 * 1024;

    public static IReadOnlyList<Row> All { get; } =
    [
        Of("HEAD", site => site.GotAsync(Request("HEAD", "/file"), Head), "200, length 2000, body of 0"),
        Got("204", "/status/204", Head, "204, length none, body of 0"),
        Got("304", "/file", Head, "304, length none, body of 0", "If-None-Match: \"file\"")
            .But(
                MatrixColumns.Haproxy, "304, length 0, body of 0",
                "HAProxy adds the length of what it sends, which is nothing. Clients do not look at it."),
        Got("404", "/status/404", Head, "404, length 0, body of 0"),
        Of("500 by an exception", ThrowAsync, "500, length 0, body of 0"),
        Got("status with a reason of its own", "/reason", Reason, "299 Quite Good")
            .But(
                MatrixColumns.Lighttpd, "299 ",
                "lighttpd has its own reasons, and none for a status that it does not know.")
            .But(MatrixColumns.Caddy, "299 status code 299", "Caddy has its own reasons."),
        Got("redirect within the site", "/redirect?to=/a%2520b%3Fc=%252F", Location, "302 /a%20b?c=%2F"),
        Got(
            "redirect elsewhere", "/redirect?to=https://other.example/a%3Fb", Location, "302 https://other.example/a?b"),
        Got(
            "three cookies are set", "/cookies", response => string.Join(" | ", response.Head.Lines("Set-Cookie")),
            "a=1; path=/; secure; samesite=lax | b=2; max-age=3600; path=/; httponly | c=3; path=/"),
        Got(
            "head of 12,000 bytes", "/large-head",
            response => $"{response.Status}, {response.Head.Headers.Count(IsLarge)} whole",
            $"200, {MatrixContent.LargeHeadLines} whole"),
        Got("range", "/file", Range, "206 bytes 10-19/2000, right", "Range: bytes=10-19"),
        Got("range beyond the end", "/file", response => $"{response.Status}", "416", "Range: bytes=5000-"),
        Got(
            "unchanged since", "/file", response => $"{response.Status}", "304",
            "If-Modified-Since: Fri, 02 Jan 2026 03:04:05 GMT"),
        Got("10 MiB with a length", $"/bytes/{Large}?hasLength=true", Content, "200, length 10485760, right"),
        Got("10 MiB without a length", $"/bytes/{Large}?hasLength=false", Content, "200, length none, right"),
    ];

    private static Task<string> ThrowAsync(MatrixSite site)
    {
        site.ExpectError();
        return site.GotAsync(Request("GET", "/throw"), Head);
    }

    private static string Head(RawResponse response) =>
        $"{response.Status}, length {Length(response)}, body of {response.Body.Length}";

    private static string Length(RawResponse response) => response.Header("Content-Length") ?? "none";

    private static string Reason(RawResponse response) => $"{response.Status} {response.Head.Reason}";

    private static string Location(RawResponse response) => $"{response.Status} {response.Header("Location")}";

    private static bool IsLarge((string Name, string Value) header) =>
        header.Name.StartsWith("X-Large-", StringComparison.OrdinalIgnoreCase) && header.Value == MatrixContent.LargeHeadLine;

    private static string Range(RawResponse response)
    {
        var isRight = response.Body.AsSpan().SequenceEqual(MatrixContent.Bytes(MatrixContent.FileLength).AsSpan(10..20));
        return $"{response.Status} {response.Header("Content-Range")}, {(isRight ? "right" : "wrong")}";
    }

    private static string Content(RawResponse response)
    {
        var isRight = !response.IsTorn && response.Body.AsSpan().SequenceEqual(MatrixContent.Bytes(Large));
        return $"{response.Status}, length {Length(response)}, {(isRight ? "right" : "wrong")}";
    }
}
