using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Equality.EqualityRow;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Request headers, the host, and what a client might pretend.</summary>
internal static class HeaderRows
{
    public static IReadOnlyList<Row> All { get; } =
    [
        Get(
            "ordinary browser headers", "/",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: text/html;q=0.9, */*;q=0.8",
            "Accept-Language: de,en;q=0.5", "Accept-Encoding: gzip, deflate, br",
            "Referer: http://www.example.com/?a=b", "DNT: 1", "Sec-Fetch-Mode: navigate",
            "Upgrade-Insecure-Requests: 1", "Priority: u=0, i"),
        Get("cookies", "/cookies", "Cookie: a=1; b=two; c=%20x"),
        Get("cookies on two lines", "/cookies", "Cookie: a=1; b=2", "Cookie: c=3")
            .But(
                "Several cookie params are joined as HTTP/2 does it, since one line is what applications know.",
                "seen header Cookie"),
        Get("repeated header", "/", "X-Trail: one", "X-Trail: two"),
        Get("header with commas", "/", "X-List: a, b,, c"),
        Get("empty header", "/", "X-Empty:")
            .But(
                "An empty param is what a web server sends for a variable that is not set, so it counts as absent.",
                "seen header X-Empty"),
        Get("header with spaces around", "/", "X-Spaces:   a  b   "),
        Get("header in UTF-8", "/", "X-Name: Z\u00c3\u00bcrich"),
        Get("header name with underscore", "/", "X_Under: a"),
        Get("header name with digits", "/", "X-2-b: a"),
        Get("letter case of a header name", "/names", "X-UnknownHeader: a")
            .But(
                "CGI has upper-cased the name, and the usual spelling is made of it. Names have no case in HTTP.",
                "body"),
        Get("large header", "/", $"X-Large: {new string('x', 7000)}"),
        Get("fifty headers", "/", [.. Enumerable.Range(0, 50).Select(i => $"X-Number-{i}: {i}")]),
        Get("Basic authorization", "/", "Authorization: Basic ZXZpbDp4"),
        Get("Bearer authorization", "/", "Authorization: Bearer abc.def"),
        Get("traceparent", "/", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        Get("content type without a body", "/", "Content-Type: text/plain"),
        Get(
            "pretended forwarding", "/",
            "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example")
            .But(
                "Left out, since any client can send it. Before Kestrel nginx overwrites it, or passes it on.",
                "seen header X-Forwarded-For", "seen header X-Forwarded-Host"),
        Get("pretended real address", "/", "X-Real-IP: 1.2.3.4", "Forwarded: for=1.2.3.4;proto=https")
            .But("Left out, since any client can send it.", "seen header X-Real-IP", "seen header Forwarded"),
        Get("Proxy header", "/", "Proxy: http://evil.example/")
            .But("Never passed on, since programs take HTTP_PROXY for a setting (httpoxy).", "seen header Proxy"),
        Get(
            "connection headers", "/",
            "Connection: keep-alive, X-Hop", "Keep-Alive: timeout=5", "X-Hop: a", "TE: trailers"),
        Get(
            "upgrade", "/",
            "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEC==")
            .But("proxy_pass drops it; there is no upgrade feature that could act on it.", "seen header Upgrade"),
        Raw("host without a port", "GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n"),
        Raw("host in upper case", "GET / HTTP/1.1\r\nHost: WWW.Example.COM:81\r\n\r\n"),
        Raw("host that is an IPv6 address", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
        Raw("empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        Raw("no host", "GET / HTTP/1.1\r\n\r\n"),
        Raw("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Raw("HTTP/1.0 with a host", "GET / HTTP/1.0\r\nHost: www.example.com\r\n\r\n")
            .But("The client's own; nginx asks Kestrel by HTTP/1.1.", "seen protocol"),
        Raw("HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n")
            .But("The client's own; nginx asks Kestrel by HTTP/1.1.", "seen protocol"),
        Raw("connection to be closed", "GET / HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n"),
    ];
}
