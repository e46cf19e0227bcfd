namespace FastCgi.AspNetCore.Tests.Cgi;

public class RequestTargetTests
{
    [Theory]
    [InlineData("/", "/", "/", "")]
    [InlineData("/a/b?x=1", "/a/b?x=1", "/a/b", "?x=1")]
    [InlineData("/a?", "/a?", "/a", "?")]
    [InlineData("/a?b?c", "/a?b?c", "/a", "?b?c")]
    [InlineData("/?x=%2F%zz%00", "/?x=%2F%zz%00", "/", "?x=%2F%zz%00")]
    [InlineData("/a#frag", "/a", "/a", "")]
    [InlineData("/a?b#frag?c", "/a?b", "/a", "?b")]
    [InlineData("/a#?b", "/a", "/a", "")]
    [InlineData("//host/x", "//host/x", "//host/x", "")]
    [InlineData("http://h:8080/x/y?z", "/x/y?z", "/x/y", "?z")]
    [InlineData("https://user:pw@h/x", "/x", "/x", "")]
    [InlineData("HTTP://h", "/", "/", "")]
    [InlineData("http://h?x=1", "/?x=1", "/", "?x=1")]
    [InlineData("http://h/x#f", "/x", "/x", "")]
    [InlineData("http://[::1]:80/x", "/x", "/x", "")]
    [InlineData("*", "*", "", "")]
    [InlineData("/a|b\"c\\d<e", "/a|b\"c\\d<e", "/a|b\"c\\d<e", "")]
    [InlineData("/\u00C3\u00A9?\u00C3\u00A9", "/\u00E9?\u00E9", "/\u00E9", "?\u00E9")]
    public void REQUEST_URI_becomes_target_path_and_query(string requestUri, string target, string path, string query)
    {
        // Of the method, only '*' depends.
        var request = ParamSet.With(
            ("REQUEST_METHOD", requestUri == "*" ? "OPTIONS" : "GET"), ("REQUEST_URI", requestUri));

        Assert.Equal((target, path, query), (request.RawTarget, request.Path, request.QueryString));
    }

    public static TheoryData<string> NoTargets =>
    [
        "a", "?x", "#", "h:80", "://h/x", "ht tp://h/x", "http:///x", "http://h h/x", "/a\0b", "/a\rb", "/a\nb",
        "/a?\nb", "/\u00E9x", "/?\u00E9", "http://h/\u00E9", "/\u0080", "/a%00b", "/%C3%A9%00",
    ];

    [Theory, MemberData(nameof(NoTargets))]
    [HardInput("P15")]
    public void A_target_that_is_none_is_refused(string requestUri)
    {
        var options = new FastCgiServerOptions { TargetSource = FastCgiTargetSource.RequestUri };
        Assert.Equal(400, ParamSet.Rejection(options, ("REQUEST_URI", requestUri))?.StatusCode);
    }

    [Fact]
    [HardInput("P15")]
    public void A_target_above_the_limit_is_refused_and_one_at_it_is_not()
    {
        var options = new FastCgiServerOptions { Limits = { MaxRequestLineSize = 10 } };

        Assert.Null(ParamSet.Rejection(options, ("REQUEST_URI", "/234567890")));
        Assert.Equal(414, ParamSet.Rejection(options, ("REQUEST_URI", "/2345678901"))?.StatusCode);
    }

    [Theory]
    [InlineData("/a b/%", "", "", "", "/a%20b/%25", "/a b/%", "")]
    [InlineData("/app", "/a/b", "", "x=1", "/app/a/b?x=1", "/app/a/b", "?x=1")]
    [InlineData("", "/a", "", "", "/a", "/a", "")]
    [InlineData("", "", "/doc", "q", "/doc?q", "/doc", "?q")]
    [InlineData("/a?b#c", "", "", "", "/a%3Fb%23c", "/a?b#c", "")]
    [InlineData("/a%2Fb", "", "", "", "/a%252Fb", "/a%2Fb", "")]
    [InlineData("/a/../b", "", "", "", "/a/../b", "/b", "")]
    [InlineData("a", "", "", "", "/a", "/a", "")]
    [InlineData("/\u00C3\u00A9", "", "", "", "/%C3%A9", "/\u00E9", "")]
    [HardInput("P14")]
    public void Without_REQUEST_URI_the_decoded_params_are_escaped_again(
        string scriptName, string pathInfo, string documentUri, string query, string target, string path,
        string queryString)
    {
        var request = ParamSet.With(
            ("REQUEST_URI", ""), ("SCRIPT_NAME", scriptName), ("PATH_INFO", pathInfo), ("DOCUMENT_URI", documentUri),
            ("QUERY_STRING", query));

        Assert.Equal((target, path, queryString), (request.RawTarget, request.Path, request.QueryString));
    }

    [Fact]
    public void A_NUL_in_a_decoded_param_is_refused() =>
        Assert.Equal(400, ParamSet.Rejection(("REQUEST_URI", ""), ("SCRIPT_NAME", "/a\0"))?.StatusCode);

    [Fact]
    public void The_query_of_a_rewrite_takes_the_place_of_the_clients()
    {
        Assert.Equal("?x=1", ParamSet.With(("REQUEST_URI", "/a"), ("QUERY_STRING", "x=1")).QueryString);
        Assert.Equal("/a%2Fb?x=1", ParamSet.With(("REQUEST_URI", "/a%2Fb?own#f"), ("QUERY_STRING", "x=1")).RawTarget);
        Assert.Equal("", ParamSet.With(("REQUEST_URI", "/a?own"), ("QUERY_STRING", "")).QueryString);
        Assert.Equal("?own", ParamSet.With(("REQUEST_URI", "/a?own")).QueryString);
        Assert.Equal("?", ParamSet.With(("REQUEST_URI", "/a?"), ("QUERY_STRING", "")).QueryString);
        // lighttpd writes the same query anew.
        Assert.Equal("?%2f=%7e", ParamSet.With(("REQUEST_URI", "/a?%2f=%7e"), ("QUERY_STRING", "%2F=~")).QueryString);
        Assert.Equal("?a=%2", ParamSet.With(("REQUEST_URI", "/a?a=%2"), ("QUERY_STRING", "a=%2")).QueryString);
        var options = new FastCgiServerOptions { TargetSource = FastCgiTargetSource.RequestUri };
        Assert.Equal("?own", ParamSet.Load(
            options, [.. ParamSet.Minimal, ("REQUEST_URI", "/a?own"), ("QUERY_STRING", "x")]).QueryString);
        Assert.Equal("", ParamSet.With(
            ("REQUEST_METHOD", "OPTIONS"), ("REQUEST_URI", "*"), ("QUERY_STRING", "x=1")).QueryString);
        Assert.Equal(400, ParamSet.Rejection(("REQUEST_URI", "/a"), ("QUERY_STRING", "x\n"))?.StatusCode);
        Assert.Equal(400, ParamSet.Rejection(("REQUEST_URI", "/a"), ("QUERY_STRING", "\u00E9"))?.StatusCode);
    }

    [Fact]
    public void The_rewritten_URL_is_an_option()
    {
        var options = new FastCgiServerOptions { TargetSource = FastCgiTargetSource.ScriptNameAndPathInfo };

        var request = ParamSet.Load(
            options, ("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/rw/a"), ("SCRIPT_NAME", "/new/a"), ("QUERY_STRING", "x"));
        Assert.Equal(("/new/a?x", "/new/a", "?x"), (request.RawTarget, request.Path, request.QueryString));

        Assert.Equal("/only", ParamSet.Load(options, ("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/only")).Path);
    }

    [Fact]
    public void IIS_has_its_raw_URL_in_a_param_of_its_own_and_the_path_twice()
    {
        (string, string) software = ("SERVER_SOFTWARE", "Microsoft-IIS/10.0");

        Assert.Equal("/a/b", ParamSet.With(
            software, ("REQUEST_URI", ""), ("SCRIPT_NAME", "/a/b"), ("PATH_INFO", "/a/b")).RawTarget);
        Assert.Equal("/a%2Fb", ParamSet.With(
            software, ("UNENCODED_URL", "/a%2Fb"), ("REQUEST_URI", "/a/b"), ("PATH_INFO", "/a/b")).RawTarget);
        Assert.Equal("/a/a", ParamSet.With(("REQUEST_URI", ""), ("SCRIPT_NAME", "/a"), ("PATH_INFO", "/a")).RawTarget);
    }

    [Fact]
    public void One_target_after_another_leaves_nothing_behind()
    {
        var request = new CgiRequest(new FastCgiServerOptions());
        (string Target, string Path, string Query, string? Host)[] sequence =
        [
            ("/a?x", "/a", "?x", null), ("/a?x", "/a", "?x", null), ("http://h/a?x", "/a", "?x", "h"),
            ("/a?x", "/a", "?x", null), ("*", "", "", null), ("/a", "/a", "", null), ("/%61", "/a", "", null),
            ("/a?y", "/a", "?y", null), ("/", "/", "", null),
        ];
        foreach (var (target, path, query, host) in sequence)
        {
            ParamSet.LoadNext(
                request, ("REQUEST_METHOD", target == "*" ? "OPTIONS" : "GET"), ("REQUEST_URI", target));
            Assert.Equal((path, query, host), (request.Path, request.QueryString, request.Host));
        }
    }
}
