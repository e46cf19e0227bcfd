using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Equality.EqualityRow;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Methods, paths, queries, and what the target may look like.</summary>
internal static class TargetRows
{
    public static IReadOnlyList<Row> All { get; } =
    [
        Get("root", "/"),
        Get("path", "/a/b/c"),
        Get("final slash", "/a/b/"),
        Get("query", "/query?a=1&b=2&a=3"),
        Get("empty query", "/query?"),
        Get("query without values", "/query?a&b=&=c"),
        Get("query with encoded signs", "/query?a=%26%3D%2B&b=x+y&c=%E2%82%AC"),
        Get("query with a question mark and a slash", "/query?a=/b?c"),
        Get("encoded NUL in the query", "/query?a=%00"),
        Get("encoded slash", "/item/a%2Fb/c%2Fd"),
        Get("lower-case encoded slash", "/item/a%2fb/c"),
        Get("twice encoded slash", "/item/a%252Fb/c"),
        Get("encoded percent", "/a%25b"),
        Get("encoded UTF-8", "/gr%C3%BC%C3%9Fe/%E2%82%AC/%F0%9F%98%80"),
        Get("encoded bytes that are no UTF-8", "/a%FF%FEb"),
        Get("truncated UTF-8", "/a%E2%82/b"),
        Get("encoded space and plus", "/a%20b+c"),
        Get("encoded control character", "/a%01b%7F"),
        Get("encoded NUL", "/a%00b"),
        Get("invalid escape", "/a%zzb"),
        Get("dot segments", "/a/./b/../c"),
        Get("encoded dot segments", "/a/%2e%2e/b/%2E/c"),
        Get("dot segments above the root", "/../a"),
        Get("dots that are names", "/a../..b/.c/..."),
        Get("doubled slashes", "//a///b//"),
        Get("only slashes", "//"),
        Get("path parameters", "/a;v=1/b;w=2"),
        Get("sub-delimiters", "/!$&'()*+,;=:@-._~"),
        Get("backslash", "/a%5Cb"),
        Get("unencoded brackets and bars", "/a[b]{c}|d^e`f\"<g>"),
        Get("unencoded UTF-8", "/gr\u00c3\u00bcn")
            .But(
                "Old clients send it and nginx lets it through; Kestrel refuses what is not ASCII.",
                "status", "reached the application"),
        Get("fragment in the target", "/a#b")
            .But("A fragment is no part of a request target.", "body", "seen path", "seen target"),
        Get("absolute target", "http://www.example.com:8080/a%2Fb?c=d"),
        Get("absolute target without a path", "http://www.example.com:8080"),
        Get("absolute target of another host", "http://other.example/a"),
        Get("long target", $"/long/{new string('a', 1000)}?q={new string('b', 7000)}"),
        Of("target with a space", "GET /a b HTTP/1.1", ""),
        Of("asterisk", "OPTIONS * HTTP/1.1", ""),
        Of("HEAD", "HEAD /a HTTP/1.1", ""),
        Of("OPTIONS", "OPTIONS /a HTTP/1.1", ""),
        Of("DELETE", "DELETE /a HTTP/1.1", ""),
        Of("TRACE", "TRACE /a HTTP/1.1", ""),
        Of("extension method", "PROPFIND /a HTTP/1.1", ""),
        Of("lower-case method", "get /a HTTP/1.1", ""),
    ];
}
