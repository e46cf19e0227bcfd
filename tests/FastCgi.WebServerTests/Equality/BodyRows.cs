using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Equality.EqualityRow;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Requests with a body.</summary>
internal static class BodyRows
{
    private const string Form = "application/x-www-form-urlencoded";

    private const string MultipartBody =
        "--b0\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA title\r\n" +
        "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\n" +
        "Content-Type: text/plain\r\n\r\ncontent\r\n" +
        "--b0--\r\n";

    private static string EveryByte => string.Concat(Enumerable.Range(0, 256).Select(i => (char)i));

    public static IReadOnlyList<Row> All { get; } =
    [
        Post("JSON", "/json", "application/json", "{\"x\":1,\"y\":2}"),
        Post("JSON that is none", "/json", "application/json", "{\"x\":"),
        Post("JSON of another type", "/json", "text/plain", "{\"x\":1,\"y\":2}"),
        Post("JSON without a body", "/json", "application/json", ""),
        Post("form", "/form", Form, "a=1&b=x+y&a=%C3%BC"),
        Post("empty form", "/form", Form, ""),
        Post("form with a file", "/form", "multipart/form-data; boundary=b0", MultipartBody),
        Post("form that breaks off", "/form", "multipart/form-data; boundary=b0", MultipartBody[..100]),
        Post("hundred thousand bytes", "/hash", "application/octet-stream", new string('z', 100_000)),
        Post("bytes of every value", "/hash", "application/octet-stream", EveryByte),
        Post("body that nobody reads", "/unread", "text/plain", new string('u', 50_000)),
        Post("body above the application's limit", "/small", "text/plain", "eleven bytes"),
        Post("synchronous read", "/sync", "text/plain", "abc"),
        Post("Expect", "/hash", "text/plain", "abc", "Expect: 100-continue"),
        Of("chunked body", "POST /hash HTTP/1.1", "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        Of("chunked body of no bytes", "POST /hash HTTP/1.1", "0\r\n\r\n", "Transfer-Encoding: chunked"),
        Of(
            "chunked body with trailers", "POST /hash HTTP/1.1", "3\r\nabc\r\n0\r\nX-Trailer: a\r\n\r\n",
            "Transfer-Encoding: chunked"),
        Of("PUT", "PUT /hash HTTP/1.1", "put", "Content-Length: 3"),
        Of("DELETE with a body", "DELETE /hash HTTP/1.1", "del", "Content-Length: 3"),
        Of("GET with a body", "GET /hash HTTP/1.1", "get", "Content-Length: 3"),
        Of("POST without a length", "POST /hash HTTP/1.1", ""),
        Of("POST of no bytes", "POST /hash HTTP/1.1", "", "Content-Length: 0"),
        Of("length that is no number", "POST /hash HTTP/1.1", "", "Content-Length: abc"),
        Of(
            "length and chunks at once", "POST /hash HTTP/1.1", "3\r\nabc\r\n0\r\n\r\n",
            "Content-Length: 4", "Transfer-Encoding: chunked"),
    ];
}
