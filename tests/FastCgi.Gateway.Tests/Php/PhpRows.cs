namespace FastCgi.Gateway.Tests.Php;

/// <summary>Requests, and where PHP sees another thing than behind nginx.</summary>
internal static class PhpRows
{
    private const string WithoutTryFiles = "nginx's try_files cuts the path info off";
    private const string Translated = "RFC 3875, section 4.1.6; Debian's file for nginx lacks it";
    private const string Encoded = "the path that ASP.NET Core has judged keeps an encoded slash";
    private const string Doubled = "the path that ASP.NET Core has judged keeps both slashes, so there is no such script";

    private const string DoubledInfo = "nginx joins the slashes, and the routes of ASP.NET Core have judged another path";

    private const string Host = "Host: example.org\r\n";

    private const string Multipart =
        "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n" +
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\nContent-Type: text/plain\r\n\r\n" +
        "some text\r\n--b--\r\n";

    /// <summary>Keys that differ in every request that reaches PHP, with the reason.</summary>
    public static Dictionary<string, string> Standing { get; } = new()
    {
        ["$_SERVER[SERVER_SOFTWARE]"] = "each says its name",
        ["$_SERVER[REMOTE_USER]"] = "nginx copies the name out of Authorization, which nobody has verified, or sends an " +
            "empty one; the gateway names only a user whom the application has authenticated",
        ["$_SERVER[HTTP_CONTENT_LENGTH]"] = "CONTENT_LENGTH says it",
        ["$_SERVER[HTTP_CONTENT_TYPE]"] = "CONTENT_TYPE says it",
        ["$_SERVER[HTTP_CONNECTION]"] = "headers of the hop stay there",
        ["$_SERVER[HTTP_KEEP_ALIVE]"] = "headers of the hop stay there",
        ["$_SERVER[HTTP_TRANSFER_ENCODING]"] = "headers of the hop stay there",
    };

    public static PhpRow[] All { get; } =
    [
        new("a script", $"GET /see.php?a=1&b[]=2 HTTP/1.1\r\n{Host}\r\n"),
        new(
            "path info",
            $"GET /see.php/more/info?x HTTP/1.1\r\n{Host}\r\n",
            ("$_SERVER[DOCUMENT_URI]", WithoutTryFiles),
            ("$_SERVER[PATH_TRANSLATED]", Translated)),
        new(
            "encoded path info",
            $"GET /see.php/a%20b/%C3%A9?x=%20 HTTP/1.1\r\n{Host}\r\n",
            ("$_SERVER[DOCUMENT_URI]", WithoutTryFiles),
            ("$_SERVER[PATH_TRANSLATED]", Translated)),
        new("an encoded script", $"GET /s%20p%C3%A9.php HTTP/1.1\r\n{Host}\r\n"),
        new("the root", $"GET / HTTP/1.1\r\n{Host}\r\n"),
        new("a directory", $"GET /sub/?q HTTP/1.1\r\n{Host}\r\n"),
        new("a directory without a slash", $"GET /sub?q=1 HTTP/1.1\r\n{Host}\r\n"),
        new("the front controller", $"GET /2026/11/post?page=2 HTTP/1.1\r\n{Host}\r\n"),
        new("a static file", $"GET /style.css HTTP/1.1\r\n{Host}\r\n"),
        new("a script that is not there", $"GET /none.php HTTP/1.1\r\n{Host}\r\n"),
        new("an empty query", $"GET /see.php? HTTP/1.1\r\n{Host}\r\n"),
        new("dot segments", $"GET /sub/../see.php HTTP/1.1\r\n{Host}\r\n"),
        new(
            "an encoded slash",
            $"GET /see.php/a%2Fb HTTP/1.1\r\n{Host}\r\n",
            ("$_SERVER[PATH_INFO]", Encoded),
            ("$_SERVER[PHP_SELF]", Encoded),
            ("$_SERVER[DOCUMENT_URI]", WithoutTryFiles),
            ("$_SERVER[PATH_TRANSLATED]", Translated)),
        new("a doubled slash", $"GET /sub//index.php HTTP/1.1\r\n{Host}\r\n", ("status", Doubled)),
        new("a doubled slash in path info", $"GET /see.php//info HTTP/1.1\r\n{Host}\r\n", ("status", DoubledInfo)),
        new("an absolute target", $"GET http://example.org/see.php?a HTTP/1.1\r\n{Host}\r\n"),
        new(
            "HTTP/1.0",
            "GET /see.php HTTP/1.0\r\n\r\n",
            ("$_SERVER[SERVER_NAME]", "nginx says its server_name, the gateway its own address where there is no Host")),
        new("HEAD", $"HEAD /see.php HTTP/1.1\r\n{Host}\r\n"),
        new("cookies", $"GET /see.php HTTP/1.1\r\n{Host}Cookie: a=1; b=%20x\r\n\r\n"),
        new("a user and a password", $"GET /see.php HTTP/1.1\r\n{Host}Authorization: Basic YWRhOnNlY3JldA==\r\n\r\n"),
        new("headers", $"GET /see.php HTTP/1.1\r\n{Host}X-One: 1\r\nX-Two: a\r\nX-Two: b\r\nAccept: */*\r\n" +
            "X-Forwarded-For: 6.6.6.6\r\nIf-None-Match: \"x\"\r\nRange: bytes=0-1\r\n\r\n",
            ("$_SERVER[HTTP_X_TWO]", "nginx's PHP gets the last of repeated headers, the gateway's all (RFC 9110, 5.2)")),
        new("headers of doubt", $"GET /see.php HTTP/1.1\r\n{Host}Proxy: http://evil\r\nX_Under: 1\r\nX.Dot: 1\r\n\r\n"),
        new("a kept connection", $"GET /see.php HTTP/1.1\r\n{Host}Connection: keep-alive\r\nKeep-Alive: 5\r\n\r\n"),
        new("a form", Post("application/x-www-form-urlencoded", "a=1&b%5B%5D=%C3%A9+x")),
        new("an upload", Post("multipart/form-data; boundary=b", Multipart)),
        new("JSON", Post("application/json", "{\"a\":[1,2]}")),
        new("an empty body", Post("text/plain", "")),
        new("a large body", Post("application/octet-stream", new string('x', 600_000))),
        new("PUT", Post("text/plain", "put").Replace("POST", "PUT", StringComparison.Ordinal)),
        new("chunks", $"POST /see.php HTTP/1.1\r\n{Host}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" +
            "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
    ];

    private static string Post(string type, string body) =>
        $"POST /see.php HTTP/1.1\r\n{Host}Content-Type: {type}\r\nContent-Length: {body.Length}\r\n\r\n{body}";
}
