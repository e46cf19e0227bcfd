using System.Globalization;

namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>What each web server sends for <c>GET /a/b?x=1</c> with <c>Host: h:8080</c>.</summary>
public class WebServerTests
{
    /// <summary>The params of each, with blanks between them (<c>~</c> is one in a value), and the request.</summary>
    public static TheoryData<string, string, string> Rows => new()
    {
        {
            "nginx 1.31",
            """
            QUERY_STRING=x=1 REQUEST_METHOD=GET CONTENT_TYPE= CONTENT_LENGTH= SCRIPT_NAME=/a/b REQUEST_URI=/a/b?x=1
            DOCUMENT_URI=/a/b SERVER_PROTOCOL=HTTP/2.0 REQUEST_SCHEME=https HTTPS=on SERVER_SOFTWARE=nginx/1.31.5
            REMOTE_ADDR=192.0.2.7 REMOTE_PORT=4711 SERVER_ADDR=198.51.100.1 SERVER_PORT=8080 SERVER_NAME=_
            HTTP_HOST=h:8080 HTTP_ACCEPT=*/* HTTP_PROXY=evil
            """,
            "HTTP/2 https h:8080 192.0.2.7:4711 198.51.100.1:8080 length - [Accept: */*][Host: h:8080]"
        },
        {
            "nginx on a unix socket",
            """
            QUERY_STRING=x=1 REQUEST_METHOD=GET CONTENT_LENGTH= REQUEST_URI=/a/b?x=1 DOCUMENT_URI=/a/b
            SERVER_PROTOCOL=HTTP/1.1 REQUEST_SCHEME=http REMOTE_ADDR=unix: REMOTE_PORT= SERVER_ADDR=unix:/x SERVER_PORT=
            SERVER_NAME=_ HTTP_HOST=h:8080
            """,
            "HTTP/1.1 http h:8080 -:0 -:0 length - [Host: h:8080]"
        },
        {
            "Apache",
            """
            HTTP_HOST=h:8080 HTTP_ACCEPT=*/* PATH=/usr/bin SERVER_SIGNATURE= SERVER_SOFTWARE=Apache/2.4.71 SERVER_NAME=h
            SERVER_ADDR=198.51.100.1 SERVER_PORT=8080 REMOTE_ADDR=2001:db8::7 REQUEST_SCHEME=http
            SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/a/b REMOTE_PORT=4711 SERVER_PROTOCOL=HTTP/1.1 REQUEST_METHOD=GET
            QUERY_STRING=x=1 REQUEST_URI=http://h:8080/a/b?x=1 SCRIPT_NAME=/a/b REDIRECT_HTTP_AUTHORIZATION=Basic~eA==
            """,
            "HTTP/1.1 http h:8080 2001:db8::7:4711 198.51.100.1:8080 length - " +
            "[Accept: */*][Authorization: Basic eA==][Host: h:8080]"
        },
        {
            "lighttpd",
            """
            CONTENT_LENGTH=0 SCRIPT_NAME= PATH_INFO=/a/b QUERY_STRING=x=1 REQUEST_URI=/a/b?x=1 REQUEST_METHOD=GET
            SERVER_PROTOCOL=HTTP/1.1 SERVER_SOFTWARE=lighttpd/1.4.86 GATEWAY_INTERFACE=CGI/1.1 REQUEST_SCHEME=http
            SERVER_PORT=8080 SERVER_ADDR=198.51.100.1 SERVER_NAME=h REMOTE_ADDR=192.0.2.7 REMOTE_PORT=4711
            HTTP_HOST=h:8080 HTTP_CONTENT_LENGTH=0
            """,
            "HTTP/1.1 http h:8080 192.0.2.7:4711 198.51.100.1:8080 length 0 [Content-Length: 0][Host: h:8080]"
        },
        {
            "Caddy",
            """
            AUTH_TYPE= CONTENT_LENGTH=-1 CONTENT_TYPE=application/x-www-form-urlencoded HTTPS=on REMOTE_ADDR=192.0.2.7
            REMOTE_PORT=4711 REMOTE_USER= REQUEST_METHOD=GET REQUEST_SCHEME=https SERVER_NAME=h SERVER_PROTOCOL=HTTP/2.0
            SERVER_SOFTWARE=Caddy/v2.6.2 SERVER_PORT=8080 PATH_INFO=/a/b DOCUMENT_URI= SCRIPT_NAME= QUERY_STRING=x=1
            REQUEST_URI=/a/b?x=1 HTTP_HOST=h:8080
            """,
            "HTTP/2 https h:8080 192.0.2.7:4711 -:8080 length - [Host: h:8080]"
        },
        {
            "HAProxy",
            """
            HTTP_HOST=h:8080 HTTP_COOKIE=a=1 HTTP_COOKIE=b=2 CONTENT_LENGTH=0 SERVER_NAME=h:8080 SERVER_PORT=8080
            SERVER_PROTOCOL=HTTP/1.1 REMOTE_ADDR=192.0.2.7 REMOTE_PORT=4711 REQUEST_METHOD=GET REQUEST_URI=/a/b?x=1
            SCRIPT_NAME=/a/b SCRIPT_FILENAME=/srv/app/a/b QUERY_STRING=x=1 SERVER_SOFTWARE=HAProxy~2.6.12
            """,
            "HTTP/1.1 http h:8080 192.0.2.7:4711 -:8080 length 0 [Cookie: a=1; b=2][Host: h:8080]"
        },
        {
            "h2o",
            """
            SCRIPT_NAME= PATH_INFO=/a/b QUERY_STRING=x=1 REQUEST_METHOD=GET REQUEST_URI=/a/b?x=1 SERVER_NAME=default
            SERVER_PROTOCOL=HTTP/2 SERVER_SOFTWARE=h2o/2.2.5 SERVER_ADDR=198.51.100.1 SERVER_PORT=8080
            REMOTE_ADDR=192.0.2.7 REMOTE_PORT=4711 HTTPS=on HTTP_HOST=h:8080 HTTP_CONNECTION=close HTTP_TE=trailers
            """,
            "HTTP/2 https h:8080 192.0.2.7:4711 198.51.100.1:8080 length - [Host: h:8080]"
        },
        {
            "IIS",
            """
            REQUEST_METHOD=GET UNENCODED_URL=/a/b?x=1 SCRIPT_NAME=/a/b PATH_INFO=/a/b QUERY_STRING=x=1 HTTPS=off
            SERVER_NAME=h SERVER_PORT=8080 SERVER_SOFTWARE=Microsoft-IIS/10.0 HTTP_HOST=h:8080 REMOTE_ADDR=::1
            LOCAL_ADDR=::1
            """,
            "HTTP/1.1 http h:8080 ::1:0 -:8080 length - [Host: h:8080]"
        },
    };

    [Theory, MemberData(nameof(Rows))]
    public void A_request_looks_the_same_from_each(string server, string @params, string expected)
    {
        var words = @params.Split([' ', '\n']);
        var request = ParamSet.Load([.. words.Select(param => param.Split('=', 2) is [var name, var value]
            ? (name, value.Replace('~', ' '))
            : throw new InvalidOperationException(server))]);

        Assert.Equal(("GET", "/a/b?x=1", "", "/a/b", "?x=1"),
            (request.Method, request.RawTarget, request.PathBase, request.Path, request.QueryString));
        Assert.Equal(expected,
            $"{request.Protocol} {request.Scheme} {request.Host} " +
            $"{Text(request.RemoteIpAddress)}:{request.RemotePort} " +
            $"{Text(request.LocalIpAddress)}:{request.LocalPort} length {Text(request.ContentLength)} " +
            string.Concat(request.Headers.OrderBy(header => header.Key, StringComparer.Ordinal)
                .Select(header => $"[{header.Key}: {header.Value}]")));
    }

    private static string Text(object? value) =>
        Convert.ToString(value, CultureInfo.InvariantCulture) is { Length: > 0 } text ? text : "-";
}
