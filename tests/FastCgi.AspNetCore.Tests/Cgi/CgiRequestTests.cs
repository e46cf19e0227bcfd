namespace FastCgi.AspNetCore.Tests.Cgi;

public class CgiRequestTests
{
    public static TheoryData<string> Methods =>
    [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "PROPFIND", "M-SEARCH",
    ];

    [Theory, MemberData(nameof(Methods))]
    public void The_method_is_taken_as_it_is(string method) =>
        Assert.Equal(method, ParamSet.With(("REQUEST_METHOD", method)).Method);

    [Theory]
    [InlineData("CONNECT", 501)]
    [InlineData("", 500)]
    [InlineData("G T", 400)]
    [InlineData("GET\r\n", 400)]
    [InlineData("G\u00C3\u00A9T", 400)]
    public void A_method_that_cannot_be_served_is_refused(string method, int status) =>
        Assert.Equal(status, ParamSet.Rejection(("REQUEST_METHOD", method))?.StatusCode);

    [Theory]
    [InlineData("REQUEST_METHOD")]
    [InlineData("REQUEST_URI")]
    public void A_missing_param_is_answered_with_what_to_configure(string name)
    {
        var rejection = ParamSet.Rejection((name, ""));

        Assert.Equal(500, rejection?.StatusCode);
        Assert.Contains("include fastcgi_params", rejection!.Text, StringComparison.Ordinal);
        Assert.Contains(name, rejection.Text, StringComparison.Ordinal);
        Assert.Contains("include fastcgi_params", rejection.Detail, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("HTTP/1.0", "HTTP/1.0")]
    [InlineData("HTTP/1.1", "HTTP/1.1")]
    [InlineData("HTTP/2", "HTTP/2")]
    [InlineData("HTTP/2.0", "HTTP/2")]
    [InlineData("HTTP/3", "HTTP/3")]
    [InlineData("HTTP/3.0", "HTTP/3")]
    [InlineData("", "HTTP/1.1")]
    [InlineData("HTTP/0.9", "HTTP/0.9")]
    [InlineData("HTTP/1.2", "HTTP/1.1")]
    [InlineData("HTTP/1.32", "HTTP/1.1")]
    [InlineData("INCLUDED", "HTTP/1.1")]
    public void The_protocol_is_spelled_as_the_framework_does(string protocol, string expected) =>
        Assert.Equal(expected, ParamSet.With(("SERVER_PROTOCOL", protocol), ("SCRIPT_NAME", "/")).Protocol);

    [Theory]
    [InlineData("", null)]
    [InlineData("-1", null)]
    [InlineData("0", 0L)]
    [InlineData("5", 5L)]
    [InlineData("007", 7L)]
    [InlineData("9223372036854775807", long.MaxValue)]
    public void The_content_length_is_a_number_or_unknown(string text, long? expected)
    {
        var request = ParamSet.With(("CONTENT_LENGTH", text));

        Assert.Equal(expected, request.ContentLength);
        Assert.Equal(expected, request.Headers.ContentLength);
        Assert.Equal(expected is not null, request.Headers.ContainsKey("content-length"));
    }

    public static TheoryData<string> NoLengths =>
    [
        "12345678901234567890", "00000000000000000005", "9223372036854775808", "5,5", "+5", " 5", "5 ", "-5", "-0",
        "--1", "0x5", "5\0", "\u00C2\u00B2",
    ];

    [Theory, MemberData(nameof(NoLengths))]
    public void A_content_length_that_is_none_is_refused(string text) =>
        Assert.Equal(400, ParamSet.Rejection(("CONTENT_LENGTH", text))?.StatusCode);

    [Fact]
    public void A_repeated_content_length_must_say_the_same()
    {
        Assert.Equal(400, ParamSet.Rejection(("CONTENT_LENGTH", "5"), ("CONTENT_LENGTH", "6"))?.StatusCode);
        Assert.Equal(400, ParamSet.Rejection(
            ("CONTENT_LENGTH", "5"), ("CONTENT_LENGTH", "6"), ("CONTENT_LENGTH", "5"))?.StatusCode);
        Assert.Equal(5, ParamSet.With(("CONTENT_LENGTH", "5"), ("CONTENT_LENGTH", "5")).ContentLength);
        Assert.Equal(5, ParamSet.With(("CONTENT_LENGTH", ""), ("CONTENT_LENGTH", "5")).ContentLength);
        Assert.Null(ParamSet.With(("CONTENT_LENGTH", "5"), ("CONTENT_LENGTH", "")).ContentLength);
    }

    [Fact]
    public void The_length_of_one_request_is_not_that_of_the_next()
    {
        var request = ParamSet.With(("CONTENT_LENGTH", "5"), ("CONTENT_LENGTH", "5"));
        ParamSet.LoadNext(request);

        Assert.Null(request.ContentLength);
    }

    [Theory]
    [InlineData("on", "", true)]
    [InlineData("ON", "", true)]
    [InlineData("1", "", true)]
    [InlineData("off", "", false)]
    [InlineData("0", "", false)]
    [InlineData("", "", false)]
    [InlineData("", "https", true)]
    [InlineData("", "HTTPS", true)]
    [InlineData("", "http", false)]
    [InlineData("", "ftp", false)]
    [InlineData("on", "http", true)]
    [InlineData("yes", "", false)]
    public void The_scheme_is_that_of_the_client(string https, string scheme, bool isHttps)
    {
        var request = ParamSet.With(("HTTPS", https), ("REQUEST_SCHEME", scheme));

        Assert.Equal(isHttps ? "https" : "http", request.Scheme);
    }

    [Theory]
    [InlineData("h:8080", "", "s", "80", "h:8080")]
    [InlineData("", "http://a:81/", "s", "80", "a:81")]
    [InlineData("h", "http://H:80/", "s", "80", "h")]
    [InlineData("", "", "s", "80", "s")]
    [InlineData("", "", "s", "8080", "s:8080")]
    [InlineData("", "", "s:81", "8080", "s:81")]
    [InlineData("", "", "::1", "8080", "[::1]:8080")]
    [InlineData("", "", "[::1]", "8080", "[::1]:8080")]
    [InlineData("", "", "[::1]:81", "8080", "[::1]:81")]
    [InlineData("", "", "_", "80", "_")]
    [InlineData("", "", "~^(?<x>.+)$", "80", null)]
    [InlineData("", "", "s", "port", "s")]
    [InlineData("", "", "", "80", null)]
    public void The_host_is_found_where_the_web_server_has_put_it(
        string host, string target, string name, string port, string? expected)
    {
        var request = ParamSet.With(
            ("HTTP_HOST", host), ("REQUEST_URI", target.Length > 0 ? target : "/"), ("SERVER_NAME", name),
            ("SERVER_PORT", port));

        Assert.Equal(expected, request.Host);
        Assert.Equal(expected, (string?)request.Headers["Host"]);
    }

    [Fact]
    public void The_default_port_depends_on_the_scheme() =>
        Assert.Equal("s", ParamSet.With(("SERVER_NAME", "s"), ("SERVER_PORT", "443"), ("HTTPS", "on")).Host);

    [Fact]
    public void The_last_host_wins() =>
        Assert.Equal("b", ParamSet.With(("HTTP_HOST", "a"), ("HTTP_HOST", "b")).Headers["Host"]);

    public static TheoryData<string> NoHosts =>
    [
        "h h", "h/x", "u@h", "h:", "h:port", ":80", "[::1", "[]", "[::1]x", "h\u00C3\u00A9", "a,b", "a=b", "a/",
        "a?b", "a#b", "[::1]:a", "a:80:80",
    ];

    [Theory, MemberData(nameof(NoHosts))]
    public void A_host_that_is_none_is_refused(string host) =>
        Assert.Equal(400, ParamSet.Rejection(("HTTP_HOST", host))?.StatusCode);

    /// <summary>RFC 9112, section 3.2.2: the target would count, and web servers choose by either.</summary>
    [Theory]
    [InlineData("a", "http://a/", "http", null)]
    [InlineData("A:80", "http://a", "http", null)]
    [InlineData("a", "http://u@a:80/x", "http", null)]
    [InlineData("a:443", "https://a/", "https", null)]
    [InlineData("[::1]:80", "http://[::1]/", "http", null)]
    [InlineData("", "http://a/", "http", null)]
    [InlineData("b", "/", "http", null)]
    [InlineData("b", "http://a/", "http", 400)]
    [InlineData("a:81", "http://a/", "http", 400)]
    [InlineData("a:443", "http://a/", "http", 400)]
    [InlineData("a:80", "https://a/", "https", 400)]
    [InlineData("a", "http://a.b/", "http", 400)]
    [HardInput("P15")]
    public void A_host_that_is_not_the_one_of_the_target_is_refused(
        string host, string target, string scheme, int? status) =>
        Assert.Equal(status, ParamSet.Rejection(
            ("HTTP_HOST", host), ("REQUEST_URI", target), ("REQUEST_SCHEME", scheme))?.StatusCode);

    /// <summary>
    /// RFC 9113, section 8.3.1: Caddy's SERVER_NAME is the :authority without its port. That of others is their own.
    /// </summary>
    [Theory]
    [InlineData("Caddy/2.6.2", "a", "a", null)]
    [InlineData("Caddy/2.6.2", "A:8080", "a", null)]
    [InlineData("Caddy/2.6.2", "[::1]:8080", "::1", null)]
    [InlineData("Caddy/2.6.2", "[::1]", "[::1]", null)]
    [InlineData("Caddy/2.6.2", "b", "", null)]
    [InlineData("Caddy/2.6.2", "", "a", null)]
    [InlineData("Caddy/2.6.2", "b", "a", 400)]
    [InlineData("Caddy/2.6.2", "a.b:8080", "a", 400)]
    [InlineData("Caddy/2.6.2", "[::2]:8080", "::1", 400)]
    [InlineData("nginx/1.22.1", "b", "a", null)]
    [HardInput("P15")]
    public void A_host_that_Caddy_has_not_chosen_by_is_refused(
        string software, string host, string name, int? status) =>
        Assert.Equal(status, ParamSet.Rejection(
            ("SERVER_SOFTWARE", software), ("HTTP_HOST", host), ("SERVER_NAME", name))?.StatusCode);

    [Theory]
    [InlineData("h", "8080", "http", "nginx/1.22.1", true)]
    [InlineData("[::1]", "8080", "http", "nginx/1.22.1", true)]
    [InlineData("h:8080", "8080", "http", "nginx/1.22.1", false)]
    [InlineData("[::1]:8080", "8080", "http", "nginx/1.22.1", false)]
    [InlineData("h", "80", "http", "nginx/1.22.1", false)]
    [InlineData("h", "443", "https", "nginx/1.22.1", false)]
    [InlineData("h", "443", "http", "nginx/1.22.1", true)]
    [InlineData("h", "8080", "http", "Apache", false)]
    [InlineData("h", "", "http", "nginx", false)]
    [InlineData("", "8080", "http", "nginx", false)]
    [InlineData("h", "8080", "http", "nginx/1.22.1", false, "HTTP_HOST=h")]
    [InlineData("h", "8080", "http", "nginx/1.22.1", false, "HTTP_REFERER=http://h/page:81")]
    [InlineData("h", "8080", "http", "nginx/1.22.1", false, "HTTP_ORIGIN=https://h")]
    [InlineData("h", "8080", "http", "nginx/1.22.1", true, "HTTP_ORIGIN=http://h:8080")]
    [InlineData("h", "8080", "http", "nginx/1.22.1", true, "HTTP_REFERER=http://other/")]
    public void A_host_that_lost_its_port_is_noticed(
        string host, string port, string scheme, string software, bool lost, string more = "X=")
    {
        var (name, value) = more.Split('=', 2) is [var first, var second] ? (first, second) : ("X", "");
        var request = ParamSet.With(
            (name, value), ("HTTP_HOST", host), ("SERVER_PORT", port), ("REQUEST_SCHEME", scheme), ("SERVER_SOFTWARE", software));

        Assert.Equal(lost, request.HostLostItsPort);
    }

    [Fact]
    public void Limits_refuse_what_is_above_them_and_nothing_at_them()
    {
        var count = new FastCgiServerOptions { Limits = { MaxRequestHeaderCount = 2 } };
        Assert.Null(ParamSet.Rejection(count, ("HTTP_A", "1"), ("HTTP_B", "1"), ("HTTP_EMPTY", ""), ("OTHER", "1")));
        Assert.Equal(431, ParamSet.Rejection(count, ("HTTP_A", "1"), ("HTTP_B", "1"), ("HTTP_B", "1"))?.StatusCode);

        // "A: 12345" and the end of its line.
        var size = new FastCgiServerOptions { Limits = { MaxRequestHeadersTotalSize = 10 } };
        Assert.Null(ParamSet.Rejection(size, ("HTTP_A", "12345")));
        Assert.Equal(431, ParamSet.Rejection(size, ("HTTP_A", "123456"))?.StatusCode);
    }

    [Theory]
    [InlineData("HTTP_X_A", "a\0b")]
    [InlineData("HTTP_X_A", "a\rb")]
    [InlineData("HTTP_X_A", "a\nb")]
    [InlineData("HTTP_COOKIE", "a\r\nb")]
    [InlineData("HTTP_X_A", "caf\u00E9")]
    [InlineData("CONTENT_TYPE", "text/\nplain")]
    [InlineData("REDIRECT_HTTP_AUTHORIZATION", "Basic\n")]
    public void A_header_value_that_Kestrel_refuses_is_refused(string name, string value) =>
        Assert.Equal(400, ParamSet.Rejection((name, value))?.StatusCode);

    [Theory]
    [InlineData("REMOTE_USER", "a\nb")]
    [InlineData("PHP_VALUE", "auto_prepend_file = /etc/passwd\nx = y")]
    [InlineData("PHP_ADMIN_VALUE", "open_basedir = /")]
    [InlineData("X", "\u00FF\u00FE\0")]
    public void Other_params_may_hold_anything_and_do_nothing(string name, string value)
    {
        var request = ParamSet.With((name, value));

        Assert.Equal("/", request.Path);
        Assert.Empty(request.Headers);
    }

    [Fact]
    public void A_rejection_describes_the_value_and_makes_it_harmless()
    {
        var request = new CgiRequest(new FastCgiServerOptions());
        ParamSet.Fill(request.Params, [.. ParamSet.Minimal, ("HTTP_X_A", "a\r\n'b\u00E9" + new string('c', 100))]);
        var text = request.DescribeRejection(request.Load()!);

        Assert.Contains(@"HTTP_X_A: 'a\x0D\x0A\x27b\xE9ccc", text, StringComparison.Ordinal);
        Assert.EndsWith("...'", text, StringComparison.Ordinal);
        Assert.DoesNotContain(new string('c', 60), text, StringComparison.Ordinal);

        request.Reset();
        ParamSet.Fill(request.Params, [.. ParamSet.Minimal, ("CONTENT_LENGTH", "5,5")]);
        Assert.EndsWith("'5,5'", request.DescribeRejection(request.Load()!), StringComparison.Ordinal);

        request.Reset();
        ParamSet.Fill(request.Params, []);
        Assert.Equal(CgiRejection.MissingMethod.Detail, request.DescribeRejection(request.Load()!));
    }

    [Theory]
    [InlineData("lighttpd/1.4.69", "GET", "", null)]
    [InlineData("lighttpd/1.4.69", "GET", "0", 0)]
    [InlineData("lighttpd/1.4.69", "POST", "", 0)]
    [InlineData("Caddy/v2.6.2", "DELETE", "", null)]
    [InlineData("HAProxy 2.6.12", "HEAD", "", null)]
    [InlineData("Apache/2.4.62", "GET", "", 0)]
    [InlineData("h2o/2.2.5", "GET", "", 0)]
    public void A_length_of_0_is_no_header_where_the_web_server_made_it(
        string software, string method, string announced, int? expected)
    {
        var request = ParamSet.With(
            ("SERVER_SOFTWARE", software), ("REQUEST_METHOD", method), ("CONTENT_LENGTH", "0"),
            ("HTTP_CONTENT_LENGTH", announced));

        Assert.Equal(expected, request.ContentLengthHeader);
        Assert.Equal(0, request.ContentLength);
    }

    [Fact]
    public void A_length_that_one_protocol_requires_is_not_required_of_the_next_request()
    {
        var request = new CgiRequest(new FastCgiServerOptions()) { HasMandatoryLength = true };
        foreach (var expected in (long?[])[null, 0])
        {
            ParamSet.Fill(request.Params, [.. ParamSet.Minimal, ("CONTENT_LENGTH", "0")]);
            Assert.Null(request.Load());
            Assert.Equal(expected, request.ContentLengthHeader);
            request.Reset();
        }
    }

    [Fact]
    public void The_user_is_told_as_it_came()
    {
        var request = ParamSet.With(("REMOTE_USER", "evil"), ("AUTH_TYPE", "Basic"));

        Assert.Equal("evil", request.Params.GetString(KnownParam.RemoteUser));
        Assert.Equal("Basic", request.Params.GetString(KnownParam.AuthType));
        Assert.Null(ParamSet.With(("REMOTE_USER", ""), ("AUTH_TYPE", "")).Params.GetString(KnownParam.RemoteUser));
    }
}
