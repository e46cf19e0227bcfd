namespace FastCgi.AspNetCore.Tests.Cgi;

public class RequestHeaderDictionaryTests
{
    [Theory]
    [InlineData("HTTP_USER_AGENT", "User-Agent")]
    [InlineData("HTTP_TRACEPARENT", "traceparent")]
    [InlineData("HTTP_SEC_CH_UA", "Sec-CH-UA")]
    [InlineData("HTTP_DNT", "DNT")]
    [InlineData("HTTP_X_MY_OWN", "X-My-Own")]
    [InlineData("HTTP_X_", "X-")]
    [InlineData("HTTP_UPGRADE", "Upgrade")]
    [InlineData("HTTP_TRANSFER_ENCODING", "Transfer-Encoding")]
    [InlineData("CONTENT_TYPE", "Content-Type")]
    [InlineData("REDIRECT_HTTP_AUTHORIZATION", "Authorization")]
    public void A_param_is_a_header_in_its_usual_spelling(string param, string header)
    {
        var headers = ParamSet.With((param, "v")).Headers;

        Assert.True(headers.TryGetValue(header, out var value));
        Assert.Equal("v", value);
        Assert.Equal("v", headers[header.ToLowerInvariant()]);
        Assert.Equal("v", headers[header.ToUpperInvariant()]);
        Assert.Equal([header], headers.Keys);
        Assert.Equal("v", headers[header.ToUpperInvariant()]);
    }

    [Theory]
    [InlineData("HTTP_PROXY", "Proxy")]
    [InlineData("HTTP_CONTENT_LENGTH", "Content-Length")]
    [InlineData("HTTP_CONTENT_TYPE", "Content-Type")]
    [InlineData("HTTP_CONNECTION", "Connection")]
    [InlineData("HTTP_KEEP_ALIVE", "Keep-Alive")]
    [InlineData("HTTP_TE", "TE")]
    [InlineData("HTTP_EXPECT", "Expect")]
    [InlineData("HTTP_CONTENT-LENGTH", "Content-Length")]
    [InlineData("HTTP_content_length", "Content-Length")]
    [InlineData("HTTP_Proxy", "Proxy")]
    [InlineData("HTTP_", "")]
    [InlineData("HTTP_A B", "A B")]
    [InlineData("HTTP_A:", "A:")]
    [InlineData("HTTPS", "S")]
    [InlineData("http_x_a", "X-A")]
    [InlineData("X_A", "X-A")]
    public void What_is_no_header_of_the_client_is_not_shown(string param, string header)
    {
        var headers = ParamSet.With((param, "5")).Headers;

        if (!header.AsSpan().ContainsAny(' ', ':'))
        {
            Assert.False(headers.ContainsKey(header));
        }

        Assert.Equal([], headers.Keys);
        Assert.Null(headers.ContentLength);
    }

    [Theory]
    [InlineData("HTTP_X_A", "X-A")]
    [InlineData("HTTP_ACCEPT", "Accept")]
    [InlineData("CONTENT_TYPE", "Content-Type")]
    public void An_empty_value_is_no_header(string param, string header)
    {
        var headers = ParamSet.With((param, "")).Headers;

        Assert.False(headers.TryGetValue(header, out var value));
        Assert.Equal(StringValues.Empty, value);
        Assert.Empty(headers);
    }

    [Fact]
    public void Repeated_params_are_lines_of_one_header_and_cookies_are_joined_in_their_own_way()
    {
        (string, string)[] @params =
        [
            ("HTTP_ACCEPT", "a"), ("HTTP_X_A", "1"), ("HTTP_ACCEPT", ""), ("HTTP_ACCEPT", "b"), ("HTTP_X_A", "2"),
            ("HTTP_COOKIE", "a=1"), ("HTTP_COOKIE", "b=2"),
        ];
        var headers = ParamSet.With(@params).Headers;

        AssertLines();
        Assert.Equal(3, headers.Count);
        AssertLines();

        void AssertLines()
        {
            Assert.Equal(new StringValues(["a", "b"]), headers["Accept"]);
            Assert.Equal(new StringValues(["1", "2"]), headers["X-A"]);
            Assert.Equal("a=1; b=2", headers["Cookie"]);
        }
    }

    [Fact]
    public void A_hyphen_and_an_underscore_make_the_same_header_as_they_do_for_CGI() =>
        Assert.Equal(new StringValues(["1", "2"]), ParamSet.With(("HTTP_X_A", "1"), ("HTTP_X-A", "2")).Headers["X-A"]);

    [Theory]
    [InlineData("HTTP_API_KEY", "Api-Key", 0)]
    [InlineData("HTTP_USER_AGENT", "User-Agent", 0)]
    [InlineData("HTTP_API_KEY", "Api-Key", 60)]
    [InlineData("HTTP_USER_AGENT", "User-Agent", 60)]
    public void An_underscore_finds_what_a_hyphen_finds_whatever_was_read_before(string param, string header, int others)
    {
        foreach (var key in (string[])[header, header.Replace('-', '_'), header.Replace('-', '_').ToLowerInvariant()])
        {
            var headers = ParamSet.With([.. Many(others), (param, "v")]).Headers;

            Assert.Equal("v", headers[key]);
            Assert.True(headers.ContainsKey(key));
            Assert.Equal(others + 1, headers.Count);
            Assert.Equal("v", headers[key]);
            Assert.Contains(header, headers.Keys);
            headers[key] = "w";
            Assert.Equal(("w", others + 1), ((string?)headers[header], headers.Count));
            Assert.True(headers.Remove(key));
            Assert.False(headers.ContainsKey(header));
        }
    }

    [Theory]
    [InlineData("HTTP_CONTENT_LENGTH", "Content_Length", 0)]
    [InlineData("HTTP_CONTENT_LENGTH", "Content_Length", 60)]
    [InlineData("HTTP_PROXY", "proxy", 60)]
    [InlineData("http_x_a", "X-A", 60)]
    [InlineData("HTTP-X-A", "X-A", 60)]
    [InlineData("HTTP_A B", "A B", 0)]
    [InlineData("HTTP_A B", "A B", 60)]
    [InlineData("HTTP_", "", 60)]
    public void What_is_not_shown_is_not_found_either_among_few_or_many(string param, string key, int others)
    {
        var headers = ParamSet.With([.. Many(others), (param, "5")]).Headers;

        Assert.False(headers.ContainsKey(key));
        Assert.Equal(others, headers.Count);
        Assert.False(headers.ContainsKey(key));
    }

    [Theory, InlineData(0), InlineData(60)]
    public void A_param_that_no_client_sends_is_no_line_of_a_header(int others)
    {
        var headers = ParamSet.With([("http_x_a", "param"), .. Many(others), ("HTTP_X_A", "header")]).Headers;

        Assert.Equal("header", headers["X-A"]);
        Assert.Equal(others + 1, headers.Count);
        Assert.Equal("header", headers["X-A"]);
    }

    [Fact]
    public void Many_headers_are_found_like_few()
    {
        var options = new FastCgiServerOptions { Limits = { MaxRequestHeaderCount = 1000 } };
        (string, string)[] many = [.. Enumerable.Range(0, 500).Select(i => ($"HTTP_X_{i}", $"v{i}"))];
        var headers = ParamSet.Load(options, [.. ParamSet.Minimal, .. many, ("HTTP_X_7", "again"), ("X_8", "")]).Headers;

        Assert.Equal("v499", headers["x-499"]);
        Assert.Equal(new StringValues(["v7", "again"]), headers["X-7"]);
        Assert.False(headers.ContainsKey("X-500"));
        Assert.Equal(500, headers.Count);
    }

    [Fact]
    public void Transfer_Encoding_goes_when_the_length_is_known()
    {
        (string, string) chunked = ("HTTP_TRANSFER_ENCODING", "chunked");

        Assert.False(ParamSet.With(chunked, ("CONTENT_LENGTH", "5")).Headers.ContainsKey("Transfer-Encoding"));
        Assert.True(ParamSet.With(chunked, ("CONTENT_LENGTH", "-1")).Headers.ContainsKey("Transfer-Encoding"));
    }

    [Theory]
    [InlineData("Caddy/v2.6.2", "", null)]
    [InlineData("Caddy/v2.6.2", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded")]
    [InlineData("nginx", "", "application/x-www-form-urlencoded")]
    public void The_type_that_Caddy_invents_is_dropped(string software, string httpContentType, string? expected)
    {
        var request = ParamSet.With(
            ("SERVER_SOFTWARE", software), ("CONTENT_TYPE", "application/x-www-form-urlencoded"),
            ("HTTP_CONTENT_TYPE", httpContentType));

        Assert.Equal(expected is null, request.HasInventedContentType);
        Assert.Equal(expected, (string?)request.Headers["Content-Type"]);
        Assert.Equal(expected is null ? 0 : 1, request.Headers.Count);
    }

    [Fact]
    public void Authorization_comes_before_what_Apache_made_of_it() =>
        Assert.Equal("a", ParamSet.With(
            ("REDIRECT_HTTP_AUTHORIZATION", "r"), ("HTTP_AUTHORIZATION", "a")).Headers["Authorization"]);

    [Theory]
    [InlineData("HTTP_ORIGIN", "Origin")]
    [InlineData("HTTP_X_A", "X-A")]
    [InlineData("CONTENT_TYPE", "Content-Type")]
    public void Blanks_around_a_value_are_no_part_of_it(string param, string header)
    {
        Assert.Equal("a \t b", ParamSet.With((param, " \ta \t b\t ")).Headers[header]);
        Assert.False(ParamSet.With((param, "\t \t")).Headers.ContainsKey(header));
    }

    [Theory]
    [InlineData("HTTP_PROXY")]
    [InlineData("HTTP_TE")]
    [InlineData("HTTP_X_FORWARDED_FOR")]
    [InlineData("HTTP_X_ORIGINAL_URL")]
    public void A_value_that_nobody_sees_need_not_be_UTF8(string param)
    {
        Assert.Null(ParamSet.Rejection((param, "\u00E9")));
        Assert.Equal(400, ParamSet.Rejection((param, "a\nb"))?.StatusCode);
    }

    [Fact]
    public void Values_are_UTF8_or_what_the_selector_says()
    {
        Assert.Equal("caf\u00E9", ParamSet.With(("HTTP_X_A", ParamSet.Utf8("caf\u00E9"))).Headers["X-A"]);

        var options = new FastCgiServerOptions
        {
            RequestHeaderEncodingSelector =
                name => name is "X-A" or "Content-Type" or "Authorization" ? Encoding.Latin1 : null,
        };
        var headers = ParamSet.Load(options, [
            .. ParamSet.Minimal, ("HTTP_X_A", "caf\u00E9"), ("CONTENT_TYPE", "\u00E9"),
            ("HTTP_X_B", ParamSet.Utf8("\u00E9")), ("REDIRECT_HTTP_AUTHORIZATION", "\u00E9")]).Headers;
        Assert.Equal(("caf\u00E9", "\u00E9", "\u00E9", "\u00E9"), (
            (string?)headers["X-A"], (string?)headers["Content-Type"], (string?)headers["X-B"],
            (string?)headers["Authorization"]));
        Assert.Equal(("caf\u00E9", "caf\u00E9", "\u00E9", "\u00E9"), (
            (string?)headers["x-a"], (string?)headers["X_A"], (string?)headers["content-type"],
            (string?)headers["AUTHORIZATION"]));
        Assert.Equal(400, ParamSet.Rejection(options, ("HTTP_X_B", "\u00E9"))?.StatusCode);
        Assert.Equal(400, ParamSet.Rejection(options, ("HTTP_X_A", "\u00E9\n"))?.StatusCode);
    }

    [Fact]
    public void Changes_are_seen_by_the_application_and_by_nobody_else()
    {
        var request = ParamSet.With(("HTTP_ACCEPT", "a"), ("CONTENT_LENGTH", "5"), ("HTTP_X_A", "1"));
        var lease = new CgiRequestLease(request);
        IHeaderDictionary headers = new RequestHeaderDictionary(lease);

        headers["Accept"] = "b";
        headers.Append("X-A", "2");
        headers.Add(KeyValuePair.Create("X-New", new StringValues("n")));
        headers.ContentLength = 7;
        Assert.Equal(("b", "1,2", "n", 7L), ((string?)headers.Accept, (string?)headers["x-a"],
            (string?)headers["X-New"], headers.ContentLength));
        Assert.Equal((5L, "a"), (request.ContentLength, request.Params.GetServerVariable("HTTP_ACCEPT")));

        Assert.Throws<ArgumentException>(() => headers.Add(KeyValuePair.Create("x-new", new StringValues("n"))));
        Assert.Throws<ArgumentOutOfRangeException>(() => headers.ContentLength = -1);
        headers.ContentLength = null;
        headers["X-New"] = StringValues.Empty;
        Assert.True(headers.Remove("ACCEPT"));
        Assert.False(headers.Remove("Accept"));
        Assert.Equal(["X-A"], headers.Keys);
        Assert.Equal([new StringValues(["1", "2"])], headers.Values);
        Assert.Contains(KeyValuePair.Create("X-A", new StringValues(["1", "2"])), headers);
        headers.Clear();
        Assert.Empty(headers);
        Assert.False(headers.ContainsKey("X-A"));

        ParamSet.LoadNext(request, ("HTTP_ACCEPT", "c"));
        Assert.Equal("c", request.Headers["Accept"]);

        lease.End();
        Assert.Throws<ObjectDisposedException>(() => headers.Accept);
        Assert.Throws<ObjectDisposedException>(() => headers.Accept = "d");
        Assert.Throws<ObjectDisposedException>(() => headers.Count);
    }

    private static IEnumerable<(string, string)> Many(int count) =>
        Enumerable.Range(0, count).Select(static i => ($"HTTP_Y_{i}", "y"));
}
