using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Rfc.RfcRow;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>RFC 9110: fields, methods, expectations, ranges, conditions.</summary>
internal static class SemanticsRows
{
    private const string BySilence = "nginx drops the header, unless ignore_invalid_headers is off.";
    private const string Date = "Fri, 02 Jan 2026 03:04:05 GMT";
    private const string Earlier = "Thu, 01 Jan 2026 03:04:05 GMT";

    public static IReadOnlyList<Row> All { get; } =
    [
        Get("9110 4.2.3", "decode an escaped unreserved letter", "/%61"),
        Get("9110 4.2.3", "tell escaped reserved letters from plain ones", "/a%2Fb"),
        Get("9110 4.2.5", "not take a fragment for a part of the path", "/a#b")
            .But("A fragment is no part of a request target.", "body", "seen path", "seen target"),
        Get("9110 5.1", "take header names in any case", "/a", "x-CASE: a"),
        Get("9110 5.1", "pass on headers that are not known", "/a", "X-Unknown-Header: a"),
        Get("9110 5.3", "keep the order of repeated headers", "/a", "X-A: 1", "X-A: 2", "X-A: 3"),
        Get("9110 5.4", "answer 4xx to headers beyond every limit", "/a", $"X-A: {new string('a', 60_000)}"),
        Get("9110 5.5", "refuse a NUL in a value", "/a", "X-A: a\0b"),
        Get("9110 5.5", "keep bytes beyond ASCII in a value opaque, or refuse them", "/a", "X-A: \u00e4")
            .But(
                "The answer says what is wrong; Kestrel's has no text.",
                "body", "response Content-Length", "response Content-Type"),
        Get("9110 5.5", "refuse control characters in a value, or keep them", "/a", "X-A: a\u0001b"),
        Get("9110 5.6.2", "refuse a header name that is no token", "/a", "X(A: a")
            .Note(BySilence),
        Get("9110 5.6.2", "refuse a header name with a NUL", "/a", "X\0A: a"),
        Get("9110 5.6.2", "refuse a header name beyond ASCII", "/a", "X-\u00e4: a")
            .Note(BySilence),
        Get("9110 6.6.1", "send Date with an answer of 200", "/a"),
        Get("9110 6.6.1", "send Date with an answer of 404", "/status/404"),
        Raw("9110 7.2", "take the host of an IPv6 address", "GET /a HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
        Get("9110 7.6.1", "not pass on what Connection names", "/a", "Connection: X-Hop", "X-Hop: a"),
        Get("9110 7.6.1", "not act on an end-to-end header that Connection names",
            "/a", "Connection: Cookie", "Cookie: a=1"),
        Get("9110 7.6.3", "leave Via of the client to the application", "/a", "Via: 1.1 proxy"),
        Get("9110 7.8", "ignore an Upgrade that is not supported", "/a", "Connection: Upgrade", "Upgrade: other/1")
            .But("proxy_pass drops it; there is no upgrade feature that could act on it.", "seen header Upgrade"),
        Raw("9110 7.8", "ignore Upgrade of HTTP/1.0",
            $"GET /a HTTP/1.0\r\n{Host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            .But("The client's own; nginx asks Kestrel by HTTP/1.1.", "seen protocol")
            .But("proxy_pass drops it; there is no upgrade feature that could act on it.", "seen header Upgrade"),
        Get("9110 7.8", "answer h2c in HTTP/1.1 where it is not supported",
            "/a", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")
            .But("proxy_pass drops it; there is no upgrade feature that could act on it.", "seen header Upgrade"),
        Of("9110 8.6", "send no body with 204", "GET /status/204 HTTP/1.1", ""),
        Of("9110 8.6", "send no body with 304", "GET /status/304 HTTP/1.1", ""),
        Of("9110 8.6", "send a length of 0 or none with 205", "GET /status/205 HTTP/1.1", ""),
        Get("9110 9.1", "serve GET", "/a"),
        Of("9110 9.1", "serve HEAD", "HEAD /a HTTP/1.1", ""),
        Of("9110 9.1", "answer 501, or serve, a method that is not known", "FROBNICATE /a HTTP/1.1", ""),
        Of("9110 9.3.1", "not be led by the body of a GET", "GET /hash HTTP/1.1", "abc", "Content-Length: 3"),
        Of("9110 9.3.2", "send no body for HEAD", "HEAD /file.txt HTTP/1.1", ""),
        Post("9110 9.3.3", "serve POST", "abc", "Content-Length: 3"),
        Of("9110 9.3.4", "serve PUT with a body", "PUT /hash HTTP/1.1", "abc", "Content-Length: 3"),
        Of("9110 9.3.4", "not take Content-Range of a PUT for a whole body, or leave it to the application",
            "PUT /hash HTTP/1.1", "abc", "Content-Length: 3", "Content-Range: bytes 0-2/10"),
        Of("9110 9.3.5", "serve DELETE without a body", "DELETE /a HTTP/1.1", ""),
        Of("9110 9.3.7", "serve OPTIONS of a target", "OPTIONS /a HTTP/1.1", ""),
        Of("9110 9.3.7", "serve OPTIONS with Max-Forwards 0", "OPTIONS /a HTTP/1.1", "", "Max-Forwards: 0"),
        Of("9110 9.3.8", "echo TRACE without secrets, or refuse it", "TRACE /a HTTP/1.1", "", "Cookie: secret=1"),
        Of("9110 9.3.8", "refuse TRACE with a body", "TRACE /a HTTP/1.1", "abc", "Content-Length: 3"),
        Post("9110 10.1.1", "answer 100-continue, or the final status at once",
            "abc", "Content-Length: 3", "Expect: 100-continue"),
        Post("9110 10.1.1", "take 100-continue in any case", "abc", "Content-Length: 3", "Expect: 100-Continue"),
        Of("9110 10.1.1", "take 100-continue without a body", "GET /a HTTP/1.1", "", "Expect: 100-continue"),
        Raw("9110 10.1.1", "ignore Expect of HTTP/1.0",
            $"POST /hash HTTP/1.0\r\n{Host}Content-Length: 3\r\nExpect: 100-continue\r\n\r\nabc")
            .But("The client's own; nginx asks Kestrel by HTTP/1.1.", "seen protocol"),
        Post("9110 10.1.1", "answer 417 to another expectation, or ignore it",
            "abc", "Content-Length: 3", "Expect: tea"),
        Get("9110 10.1.4", "not send trailers unless TE asks, and not pass TE on",
            "/a", "TE: trailers, deflate;q=0.5", "Connection: TE"),
        Get("9110 13.1.1", "answer 412 where If-Match does not hold", "/file.txt", "If-Match: \"other\""),
        Get("9110 13.1.1", "serve where If-Match is an asterisk", "/file.txt", "If-Match: *"),
        Get("9110 13.1.1", "compare If-Match strongly", "/file.txt", "If-Match: W/\"other\""),
        Get("9110 13.1.2", "answer 304 where If-None-Match is an asterisk", "/file.txt", "If-None-Match: *"),
        Get("9110 13.1.2", "serve where If-None-Match names another tag", "/file.txt", "If-None-Match: \"other\""),
        Get("9110 13.1.2", "let If-None-Match win over If-Modified-Since",
            "/file.txt", "If-None-Match: \"other\"", $"If-Modified-Since: {Date}"),
        Get("9110 13.1.3", "answer 304 where nothing was modified since", "/file.txt", $"If-Modified-Since: {Date}"),
        Get("9110 13.1.3", "serve where something was modified since", "/file.txt", $"If-Modified-Since: {Earlier}"),
        Get("9110 13.1.3", "ignore a date that is none", "/file.txt", "If-Modified-Since: yesterday"),
        Post("9110 13.1.3", "ignore If-Modified-Since of a POST",
            "abc", "Content-Length: 3", $"If-Modified-Since: {Date}"),
        Get("9110 13.1.4", "answer 412 where it was modified since", "/file.txt", $"If-Unmodified-Since: {Earlier}"),
        Get("9110 13.1.4", "serve where it was not modified since", "/file.txt", $"If-Unmodified-Since: {Date}"),
        Get("9110 13.1.5", "serve the whole where If-Range does not hold",
            "/file.txt", "Range: bytes=0-9", "If-Range: \"other\""),
        Get("9110 13.1.5", "serve the range where If-Range is the date",
            "/file.txt", "Range: bytes=0-9", $"If-Range: {Date}"),
        Get("9110 13.1.5", "ignore If-Range without Range", "/file.txt", "If-Range: \"other\""),
        Get("9110 14.2", "serve a range", "/file.txt", "Range: bytes=10-19"),
        Get("9110 14.1.2", "serve the last bytes", "/file.txt", "Range: bytes=-10"),
        Get("9110 14.1.2", "serve from an offset", "/file.txt", "Range: bytes=10-"),
        Get("9110 14.1.2", "answer 416 to a range beyond the end", "/file.txt", "Range: bytes=99999-"),
        Get("9110 14.1.2", "ignore a range whose end is before its begin", "/file.txt", "Range: bytes=9-1"),
        Get("9110 14.1.2", "answer 416 to a suffix of 0 bytes", "/file.txt", "Range: bytes=-0"),
        Get("9110 14.2", "ignore a unit that is not known", "/file.txt", "Range: lines=1-2")
            .Note("The static files of ASP.NET Core do not look at the unit, on either server."),
        Get("9110 14.2", "ignore a range that is none", "/file.txt", "Range: bytes=a-b"),
        Of("9110 14.2", "ignore Range of a method other than GET", "HEAD /file.txt HTTP/1.1", "", "Range: bytes=0-9"),
        Get("9110 14.2", "withstand many overlapping ranges",
            "/file.txt", $"Range: bytes={string.Join(',', Enumerable.Repeat("0-", 500))}"),
        Get("9110 15.6.1", "answer 500 where the application fails", "/throw"),
        Get("9110 15.5.22", "not answer 426 unasked", "/a", "Upgrade: TLS/1.0")
            .But("proxy_pass drops it; there is no upgrade feature that could act on it.", "seen header Upgrade"),
    ];
}
