using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Rfc.RfcRow;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>RFC 9112: the request line, the header section, the framing of the body, the connection.</summary>
internal static class MessageRows
{
    private const string HostText = "The answer says what is wrong; Kestrel's has no text.";
    private const string OwnVersion = "The client's own; nginx asks Kestrel by HTTP/1.1.";
    private const string Chunked = "Transfer-Encoding: chunked";

    public static IReadOnlyList<Row> All { get; } =
    [
        Raw("9112 2.2", "ignore an empty line before the request line", $"\r\nGET /a HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 2.2", "read a bare LF as the end of a line, or refuse it", "GET /a HTTP/1.1\nHost: a\n\n"),
        Raw("9112 2.2", "refuse a bare CR in a header or read it as a space",
            $"GET /a HTTP/1.1\r\n{Host}X-A: a\rb\r\n\r\n"),
        Raw("9112 2.2", "refuse a bare CR in the request line", $"GET /a\rb HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 2.2", "refuse or skip white space before the first header",
            $"GET /a HTTP/1.1\r\n X-A: a\r\n{Host}\r\n"),
        Raw("9112 2.3", "refuse a version of lower-case letters", $"GET /a http/1.1\r\n{Host}\r\n"),
        Raw("9112 2.3", "refuse a version of two digits", $"GET /a HTTP/1.01\r\n{Host}\r\n")
            .Note("nginx reads it as HTTP/1.1, and so does the application."),
        Raw("9112 2.3", "answer a higher minor version as 1.1, or refuse it", $"GET /a HTTP/1.2\r\n{Host}\r\n"),
        Raw("9112 2.3", "refuse a major version that is not spoken", $"GET /a HTTP/3.0\r\n{Host}\r\n"),
        Raw("9112 2.3", "refuse HTTP/2.0 without its preface", $"GET /a HTTP/2.0\r\n{Host}\r\n"),
        Raw("9112 3", "refuse a request line without a version and with headers", $"GET /a\r\n{Host}\r\n"),
        Raw("9112 3", "refuse a request line without a target", $"GET HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 3", "refuse a request line of nothing but a method", $"GET\r\n{Host}\r\n"),
        Raw("9112 3", "refuse white space in the target", $"GET /a b HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 3", "refuse or accept a tab as separator, but not read it into the target",
            $"GET\t/a\tHTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 3", "refuse or accept two spaces, but not read them into the target",
            $"GET  /a  HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 3", "refuse white space before the method", $" GET /a HTTP/1.1\r\n{Host}\r\n"),
        Get("9112 3", "answer 414, or serve, a target of 6,000 bytes", $"/{new string('a', 6000)}"),
        Get("9112 3", "answer 414 to a target beyond every limit", $"/{new string('a', 40_000)}"),
        Raw("9112 3.1", "refuse a method that is no token", $"G(T /a HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 3.1", "tell methods apart by case", $"get /a HTTP/1.1\r\n{Host}\r\n"),
        Raw("9112 3.2", "answer 400 without Host", "GET /a HTTP/1.1\r\n\r\n"),
        Raw("9112 3.2", "answer 400 to two Hosts", $"GET /a HTTP/1.1\r\n{Host}Host: other.example\r\n\r\n"),
        Raw("9112 3.2", "answer 400 to two Hosts that are equal", $"GET /a HTTP/1.1\r\n{Host}{Host}\r\n"),
        Raw("9112 3.2", "answer 400 to an empty Host of an http URI", "GET /a HTTP/1.1\r\nHost:\r\n\r\n"),
        Raw("9112 3.2", "answer 400 to a Host with a path", "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Raw("9112 3.2", "answer 400 to a Host with a user", "GET /a HTTP/1.1\r\nHost: a@b\r\n\r\n")
            .But(HostText, "body", "response Content-Length", "response Content-Type"),
        Raw("9112 3.2", "answer 400 to a Host with a space", "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n"),
        Raw("9112 3.2", "answer 400 to a Host with a list", "GET /a HTTP/1.1\r\nHost: a,b\r\n\r\n")
            .But(HostText, "body", "response Content-Length", "response Content-Type"),
        Raw("9112 3.2", "answer 400 to a Host whose port is no number", "GET /a HTTP/1.1\r\nHost: a:b\r\n\r\n")
            .Note("nginx goes by `a`, and the map of its configuration passes on no port but a number."),
        Raw("9112 3.2", "answer 400 to a Host of an open bracket", "GET /a HTTP/1.1\r\nHost: [::1\r\n\r\n")
            .But(HostText, "body", "response Content-Length", "response Content-Type"),
        Get("9112 3.2.1", "serve the origin form with an empty query", "/a?"),
        Get("9112 3.2.2", "accept the absolute form", "http://www.example.com:8080/a?b"),
        Get("9112 3.2.2", "let the absolute form win over Host", "http://other.example/a"),
        Get("9112 3.2.2", "read the absolute form without a path as /", "http://www.example.com:8080"),
        Get("9112 3.2.2", "accept the absolute form of https", "https://www.example.com:8080/a"),
        Get("9112 3.2.2", "refuse the absolute form with a user", "http://a@www.example.com:8080/a"),
        Raw("9112 3.2.3", "answer CONNECT that is not served by an error",
            "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n"),
        Of("9112 3.2.3", "refuse the authority form of another method", "GET www.example.com:80 HTTP/1.1", ""),
        Of("9112 3.2.4", "take the asterisk form of OPTIONS, or refuse it", "OPTIONS * HTTP/1.1", ""),
        Of("9112 3.2.4", "refuse the asterisk form of another method", "GET * HTTP/1.1", ""),
        Get("9112 5.1", "answer 400 to white space before the colon", "/a", "X-A : a"),
        Get("9112 5.1", "answer 400 to a header without a colon", "/a", "X-A")
            .But("nginx passes it on as an empty header, and an empty param counts as absent.", "seen header X-A"),
        Get("9112 5.1", "answer 400 to an empty header name", "/a", ": a"),
        Get("9112 5.1", "drop white space around a value", "/a", "X-A: \t a \t "),
        Get("9112 5.1", "keep white space inside a value", "/a", "X-A: a \t b"),
        Get("9112 5.2", "refuse folded headers or join them by spaces", "/a", "X-A: a", "\tb"),
        Get("9112 5.2", "refuse folded headers or join them by spaces, with a space", "/a", "X-A: a", "  b"),
        Chunks("9112 6.1", "decode chunks", "3\r\nabc\r\n0\r\n\r\n"),
        Post("9112 6.1", "take the coding's name in any case", "3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: Chunked"),
        Post("9112 6.1", "answer 501 or 400 to a coding that is not known", "abc", "Transfer-Encoding: other"),
        Post("9112 6.1", "answer 400 where chunked is not the last coding",
            "3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked, gzip"),
        Post("9112 6.1", "not apply chunked twice", "3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked, chunked"),
        Chunks("9112 6.1", "refuse two Transfer-Encoding lines", "3\r\nabc\r\n0\r\n\r\n", Chunked),
        Raw("9112 6.1", "not trust Transfer-Encoding of HTTP/1.0",
            $"POST /hash HTTP/1.0\r\n{Host}{Chunked}\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 6.1", "refuse a Transfer-Encoding beside Content-Length, or drop the length",
            "3\r\nabc\r\n0\r\n\r\n", "Content-Length: 3"),
        Post("9112 6.1", "refuse a Content-Length beside Transfer-Encoding, or drop the length",
            "3\r\nabc\r\n0\r\n\r\n", "Content-Length: 13", Chunked),
        Post("9112 6.1", "refuse a coding behind a vertical tab", "0\r\n\r\n", "Transfer-Encoding:\u000bchunked"),
        Post("9112 6.3", "answer 400 to a length that is no number", "", "Content-Length: abc"),
        Post("9112 6.3", "answer 400 to a negative length", "", "Content-Length: -1"),
        Post("9112 6.3", "answer 400 to a length with a sign", "abc", "Content-Length: +3"),
        Post("9112 6.3", "answer 400 to a hexadecimal length", "abc", "Content-Length: 0x3"),
        Post("9112 6.3", "answer 400 to a length that overflows", "", "Content-Length: 99999999999999999999"),
        Post("9112 6.3", "answer 400 to two lengths that differ", "abc", "Content-Length: 3", "Content-Length: 4"),
        Post("9112 6.3", "take two equal lengths as one, or refuse them",
            "abc", "Content-Length: 3", "Content-Length: 3"),
        Post("9112 6.3", "take a list of equal lengths as one, or refuse it", "abc", "Content-Length: 3, 3"),
        Post("9112 6.3", "refuse a list of lengths that differ", "abc", "Content-Length: 3, 4"),
        Post("9112 6.3", "read a length with leading zeros as decimal, or refuse it", "abc", "Content-Length: 003")
            .But("The client's own digits; the number is the same.", "seen header Content-Length"),
        Post("9112 6.3", "take a request without a length as one without a body", ""),
        Chunks("9112 7.1", "take a size in capital hexadecimal letters", "A\r\n0123456789\r\n0\r\n\r\n"),
        Chunks("9112 7.1", "take a size with leading zeros", "0003\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 7.1", "refuse a size that is no number", "g\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 7.1", "refuse a size that overflows", "fffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 7.1", "refuse a negative size", "-3\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 7.1", "refuse a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 7.1", "refuse a chunk that is longer than its size", "3\r\nabcd\r\n0\r\n\r\n"),
        Chunks("9112 7.1.1", "ignore chunk extensions that are not known", "3;a=b;c=\"d\"\r\nabc\r\n0\r\n\r\n"),
        Chunks("9112 7.1.2", "not merge trailers into the headers unasked",
            "3\r\nabc\r\n0\r\nX-Trailer: a\r\nHost: b\r\n\r\n"),
        Get("9112 9.3", "keep to Connection: close", "/a", "Connection: close"),
        Get("9112 9.3", "read Connection as a list", "/a", "Connection: x-a, close", "X-A: a"),
        Raw("9112 9.3", "close after HTTP/1.0", $"GET /a HTTP/1.0\r\n{Host}\r\n")
            .But(OwnVersion, "seen protocol"),
        Raw("9112 9.3", "take keep-alive of HTTP/1.0", $"GET /a HTTP/1.0\r\n{Host}Connection: keep-alive\r\n\r\n")
            .But(OwnVersion, "seen protocol"),
        Raw("9112 A", "answer or refuse HTTP/0.9", "GET /a\r\n"),
    ];
}
