using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Equality.EqualityRow;

namespace FastCgi.WebServerTests.Equality;

/// <summary>What applications answer.</summary>
internal static class ResponseRows
{
    private const string Tag = "If-None-Match: \"1dc7b95ca7d1488\"";

    public static IReadOnlyList<Row> All { get; } =
    [
        Get("headers and cookies", "/headers"),
        Get("streamed answer", "/stream"),
        Get("large answer", "/large"),
        Get("problem details", "/problem"),
        Get("connection header in the answer", "/hop"),
        Get("redirect within the site", "/redirect?to=/a%3Fb"),
        Get("redirect elsewhere", "/redirect?to=https://other.example/"),
        Of("created, with its absolute address", "POST /created HTTP/1.1", "", "Content-Length: 0"),
        Get("no content", "/status/204"),
        Get("reset content", "/status/205"),
        Get("not modified", "/status/304"),
        Get("not found", "/status/404"),
        Get("unavailable", "/status/503"),
        Get("status without a name", "/status/299")
            .But("FastCGI needs a reason phrase, so a status without a name has that of its class.", "status"),
        Get("static file", "/file.txt"),
        Of("HEAD of a static file", "HEAD /file.txt HTTP/1.1", ""),
        Get("range of a static file", "/file.txt", "Range: bytes=10-19"),
        Get("last bytes of a static file", "/file.txt", "Range: bytes=-10"),
        Get("two ranges of a static file", "/file.txt", "Range: bytes=0-1,5-6"),
        Get("range beyond a static file", "/file.txt", "Range: bytes=99999-"),
        Get("static file, unchanged since", "/file.txt", "If-Modified-Since: Fri, 02 Jan 2026 03:04:05 GMT"),
        Get("static file, changed since", "/file.txt", "If-Modified-Since: Thu, 01 Jan 2026 03:04:05 GMT"),
        Get("static file of another tag", "/file.txt", Tag),
        Get("static file that must have another tag", "/file.txt", "If-Match: \"other\""),
        Get("application that throws", "/throw"),
        Get("application that throws after the head", "/torn")
            .But(
                "nginx still holds the head back when the invalid record ends the answer. Torn either way.",
                "status"),
        Get("application that aborts", "/abort"),
        Get("application that writes too little", "/short")
            .But("nginx still holds the head back when the answer breaks off. Torn either way.", "status"),
        Get("header value that is not ASCII", "/not-ascii"),
    ];
}
