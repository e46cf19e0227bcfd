using System.IO.Compression;
using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Equality.EqualityRow;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Middleware and services of the framework.</summary>
internal static class FrameworkRows
{
    private const string Origin = "Origin: https://one.example";

    public static IReadOnlyList<Row> All { get; } =
    [
        Get("health check", "/health"),
        Get("health check that fails", "/health/failing"),
        Get("OpenAPI document, with its public address", "/openapi/v1.json"),
        Get("problem of an exception", "/problems/throw"),
        Get("problem of a status", "/problems/nowhere"),
        Post("megabyte of JSON", "/things", "application/json", JsonSerializer.Serialize(Things())),
        Get("compressed answer", "/compressed", "Accept-Encoding: gzip"),
        Get("answer to a client that takes no compression", "/compressed"),
        Post("compressed body", "/decompressed", "text/plain", Compressed("The same again. "), "Content-Encoding: gzip"),
        Get("request timeout", "/timeout"),
        Of(
            "CORS preflight", "OPTIONS /cors HTTP/1.1", "",
            Origin, "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: X-One"),
        Get("CORS", "/cors", Origin),
        Get("redirect to https", "/https/a?b=c"),
        Get("default document", "/folder/"),
        Get("type of a static file with a space", "/folder/a%20file.css"),
        Get("file beside the static ones", "/x/y/..%2F..%2Fapp.sock"),
    ];

    private static IEnumerable<EqualityApp.Thing> Things() =>
        Enumerable.Range(0, 30_000).Select(static i => new EqualityApp.Thing(i, $"thing number {i}"));

    /// <summary>Ten thousand of the text, each byte as one character.</summary>
    private static string Compressed(string text)
    {
        using var bytes = new MemoryStream();
        using (var gzip = new GZipStream(bytes, CompressionLevel.Fastest))
        {
            gzip.Write(Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(text, 10_000))));
        }

        return Encoding.Latin1.GetString(bytes.ToArray());
    }
}
