using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Tests.Cgi;

public class NginxRedirectTests
{
    private const string Nginx = "nginx/1.22.1";

    [Theory]
    [InlineData("/a%2Fb?x=1", "/a/b", "x=1", "/a%2Fb?x=1", "/a%2Fb")]
    [InlineData("//a//b", "/a/b", "", "//a//b", "//a//b")]
    [InlineData("//a//b", "//a//b", "", "//a//b", "//a//b")]
    [InlineData("/a%2F/b", "/a//b", "", "/a%2F/b", "/a%2F/b")]
    [InlineData("/a/../b", "/b", "", "/a/../b", "/b")]
    [InlineData("/a?", "/a", "", "/a?", "/a")]
    [InlineData("/a#b", "/a", "", "/a", "/a")]
    [InlineData("/%C3%A9", "/\u00C3\u00A9", "", "/%C3%A9", "/\u00E9")]
    [InlineData("/a%25b", "/a%b", "", "/a%25b", "/a%b")]
    public void An_unchanged_path_keeps_the_raw_target(
        string requestUri, string documentUri, string query, string target, string path) =>
        AssertTarget(requestUri, documentUri, query, target, path);

    [Theory]
    [InlineData("/rw/a?x=1", "/new/a", "x=1", "/new/a?x=1", "/new/a")]
    [InlineData("/rw/a?x=1", "/new/a", "", "/new/a", "/new/a")]
    [InlineData("/rw/a", "/new/a", "added=1", "/new/a?added=1", "/new/a")]
    [InlineData("/rw/a%20b", "/new/a b", "", "/new/a%20b", "/new/a b")]
    [InlineData("/rw", "/a?b#c%2Fd", "", "/a%3Fb%23c%252Fd", "/a?b#c%2Fd")]
    [InlineData("/a%20b", "/a%20b", "", "/a%2520b", "/a%20b")]
    [InlineData("/rw", "/\u00C3\u00A9", "", "/%C3%A9", "/\u00E9")]
    [InlineData("/page", "/authz", "", "/authz", "/authz")]
    [InlineData("?x", "/", "x", "/?x", "/")]
    public void Another_path_is_the_target(
        string requestUri, string documentUri, string query, string target, string path) =>
        AssertTarget(requestUri, documentUri, query, target, path);

    [Theory]
    [InlineData("Caddy/v2.6.2")]
    [InlineData("Apache/2.4.71")]
    [InlineData("unknown/1.0")]
    [InlineData("njetty/1.0")]
    public void Only_nginx_is_believed(string software) => Assert.Equal("/a", ParamSet.With(
        ("SERVER_SOFTWARE", software), ("REQUEST_URI", "/a"), ("DOCUMENT_URI", "/b")).Path);

    [Theory]
    [InlineData("nginx", true)]
    [InlineData("NGINX/1.22.1", true)]
    [InlineData("Angie/1.10.0", true)]
    [InlineData("freenginx/1.31.0", true)]
    [InlineData("njet/3.0", true)]
    [InlineData("openresty/1.27.1.2", true)]
    [InlineData("Tengine/3.1.0", true)]
    [InlineData("Apache/2.4.71", false)]
    [InlineData("", false)]
    public void A_relative_of_nginx_behaves_as_nginx(string software, bool isNginx) =>
        Assert.Equal(isNginx, ParamSet.With(("SERVER_SOFTWARE", software)).IsFromNginx);

    [Fact]
    public void REQUEST_URI_alone_is_an_option() => Assert.Equal("/a", ParamSet.Load(
        new FastCgiServerOptions { TargetSource = FastCgiTargetSource.RequestUri },
        [.. ParamSet.Minimal, ("SERVER_SOFTWARE", Nginx), ("REQUEST_URI", "/a"), ("DOCUMENT_URI", "/b")]).Path);

    [Theory]
    [InlineData("/app/x", "/x", "/app", "/x")]
    [InlineData("/APP/x", "/x", "/APP", "/x")]
    [InlineData("/app/x", "/app/y", "/app", "/y")]
    [InlineData("/appx", "/x", "", "/x")]
    [InlineData("/%61pp//x", "/x", "/app", "/x")]
    public void A_base_that_nginx_has_cut_off_is_still_the_base(
        string requestUri, string documentUri, string pathBase, string path)
    {
        var request = ParamSet.With(
            ("ASPNETCORE_PATHBASE", "/app"), ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri));

        Assert.Equal((pathBase, path), (request.PathBase, request.Path));
    }

    [Fact]
    public void One_request_after_another_leaves_nothing_behind()
    {
        var request = new CgiRequest(new FastCgiServerOptions { PathBase = "/app" });
        (string RequestUri, string DocumentUri, string PathBase, string Path)[] sequence =
        [
            ("/app/x", "/x", "/app", "/x"), ("/app/x", "/x", "/app", "/x"), ("/x", "/x", "", "/x"),
            ("/app/x", "/app/x", "/app", "/x"), ("/other", "/x", "", "/x"), ("/app/x", "/x", "/app", "/x"),
        ];
        foreach (var (requestUri, documentUri, pathBase, path) in sequence)
        {
            ParamSet.Fill(
                request.Params, ("REQUEST_METHOD", "GET"), ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri));
            Assert.Null(request.Load());
            Assert.Equal((pathBase, path), (request.PathBase, request.Path));
            request.Reset();
        }
    }

    [Theory]
    [InlineData("/a/b", "/a/b", true)]
    [InlineData("/a%20b?x=%2F", "/a b", true)]
    [InlineData("/%C3%A9", "/\u00C3\u00A9", true)]
    [InlineData("/rewritten", "/a", true)]
    [InlineData("/a%2Fb", "/a/b", false)]
    [InlineData("//a", "/a", false)]
    [InlineData("/admin//../secret", "/secret", false)]
    [InlineData("/admin/x%2F..%2F..%2Fpublic", "/public", false)]
    [InlineData("/%FF", "/\u00FF", false)]
    public void A_path_that_is_not_the_one_of_the_location_is_refused_by_option(
        string requestUri, string documentUri, bool isAccepted)
    {
        var options = new FastCgiServerOptions { RequireNormalizedPath = true };
        foreach (var document in (string[])[documentUri, ""])
        {
            var rejection = ParamSet.Rejection(options, ("REQUEST_URI", requestUri), ("DOCUMENT_URI", document));
            Assert.Equal(isAccepted ? null : 400, rejection?.StatusCode);
        }

        Assert.Null(ParamSet.Rejection(("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri)));
        Assert.Null(ParamSet.Rejection(options, ("REQUEST_URI", "*")));
    }

    [Theory]
    [InlineData("/x/../a", "/a")]
    [InlineData("/a/.", "/a/")]
    [InlineData("/a/b/..", "/a/")]
    [InlineData("/%61", "/a")]
    [InlineData("/a%2Db", "/a-b")]
    [InlineData("/admin#/../public", "/admin")]
    [InlineData("/admin#?/../public", "/admin")]
    [InlineData("http://h/admin#/../public", "/admin")]
    [InlineData("http://h#/../public", "/")]
    [InlineData("http://h/x/../a", "/a")]
    public void A_path_with_two_spellings_needs_a_web_server_that_says_what_it_compared(string requestUri, string documentUri)
    {
        var options = new FastCgiServerOptions { RequireNormalizedPath = true };

        Assert.Null(ParamSet.Rejection(options, ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri)));
        Assert.Equal(400, ParamSet.Rejection(options, ("REQUEST_URI", requestUri))?.StatusCode);
    }

    [Theory]
    [InlineData("REQUEST_URI", "http://h/a", "/a")]
    [InlineData("REQUEST_URI", "http://h", "/")]
    [InlineData("REQUEST_URI", "http://h?x=/../#y", "/")]
    [InlineData("REQUEST_URI", "/a?x#y", "/a")]
    [InlineData("REQUEST_URI", "/a%23b", "/a#b")]
    [InlineData("UNENCODED_URL", "/a", "/a")]
    [InlineData("PATH_INFO", "/a b", "/a b")]
    public void A_normal_path_may_come_in_any_param_and_form(string param, string value, string path)
    {
        var options = new FastCgiServerOptions { RequireNormalizedPath = true };

        var request = ParamSet.Load(options, ("REQUEST_METHOD", "GET"), (param, value));

        Assert.Equal(path, request.Path);
    }

    [Theory]
    [InlineData("UNENCODED_URL", "/x/../a")]
    [InlineData("UNENCODED_URL", "/%61")]
    [InlineData("PATH_INFO", "/x/../a")]
    [InlineData("PATH_INFO", "//a")]
    public void Another_param_is_judged_like_REQUEST_URI(string param, string value)
    {
        var options = new FastCgiServerOptions { RequireNormalizedPath = true };

        Assert.Equal(400, ParamSet.Rejection(options, ("REQUEST_URI", ""), (param, value))?.StatusCode);
    }

    private static void AssertTarget(string requestUri, string documentUri, string query, string target, string path)
    {
        foreach (var software in (string[])[Nginx, "Angie/1.10.0", "njet/3.0", ""])
        {
            var request = ParamSet.With(
                ("SERVER_SOFTWARE", software), ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri),
                ("QUERY_STRING", query));
            Assert.Equal((target, path), (request.RawTarget, request.Path));
        }
    }
}
