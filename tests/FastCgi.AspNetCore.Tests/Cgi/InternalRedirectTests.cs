namespace FastCgi.AspNetCore.Tests.Cgi;

public class InternalRedirectTests
{
    private const string Nginx = "nginx/1.22.1";

    private static readonly FastCgiServerOptions s_normalized = new() { RequireNormalizedPath = true };

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
    [InlineData("/rw/a?x=1", "/new/a", "x=1", "/new/a?x=1", "/new/a")]
    [InlineData("/rw/a?x=1", "/new/a", "", "/new/a", "/new/a")]
    [InlineData("/rw/a", "/new/a", "added=1", "/new/a?added=1", "/new/a")]
    [InlineData("/rw/a%20b", "/new/a b", "", "/new/a%20b", "/new/a b")]
    [InlineData("/rw", "/a?b#c%2Fd", "", "/a%3Fb%23c%252Fd", "/a?b#c%2Fd")]
    [InlineData("/a%20b", "/a%20b", "", "/a%2520b", "/a%20b")]
    [InlineData("/rw", "/\u00C3\u00A9", "", "/%C3%A9", "/\u00E9")]
    [InlineData("/page", "/authz", "", "/authz", "/authz")]
    [InlineData("?x", "/", "x", "/?x", "/")]
    public void An_unchanged_path_keeps_the_raw_target_and_another_path_is_the_target(
        string requestUri, string documentUri, string query, string target, string path)
    {
        foreach (var software in (string[])[Nginx, "Angie/1.10.0", "njet/3.0", ""])
        {
            var request = ParamSet.With(
                ("SERVER_SOFTWARE", software), ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri),
                ("QUERY_STRING", query));
            Assert.Equal((target, path), (request.RawTarget, request.Path));
        }
    }

    /// <summary>
    /// The params of each web server when it asks for <c>/errors/403?e=1</c> instead of the client's page. <c>~</c> is a
    /// space.
    /// </summary>
    [Theory]
    [InlineData("DOCUMENT_URI=/errors/403 SCRIPT_NAME=/errors/403 QUERY_STRING=e=1 SERVER_SOFTWARE=nginx/1.22.1")]
    [InlineData("DOCUMENT_URI=/errors/403 SCRIPT_NAME=/admin/x QUERY_STRING=e=1 SERVER_SOFTWARE=webserver")]
    [InlineData("SCRIPT_NAME=/errors/403 QUERY_STRING=e=1 SERVER_SOFTWARE=nginx/1.22.1")]
    [InlineData("SCRIPT_NAME=/errors/403 QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME=/errors/403 SCRIPT_FILENAME=proxy:fcgi://app/errors/403 QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME=/p/admin/x SCRIPT_FILENAME=proxy:fcgi://app:9000/errors/403 QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME=/errors PATH_INFO=/403 SCRIPT_FILENAME=proxy:fcgi://app/s/errors DOCUMENT_ROOT=/s QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME=/errors/403 SCRIPT_FILENAME=proxy:fcgi://app//s/errors DOCUMENT_ROOT=/s QUERY_STRING=e=1")]
    [InlineData(
        "SCRIPT_NAME=/errors PATH_INFO=/403 SCRIPT_FILENAME=proxy:fcgi://app/my%20site/x " +
        "CONTEXT_DOCUMENT_ROOT=/my~site/ QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME= PATH_INFO=/errors/403 QUERY_STRING=e=1 SERVER_SOFTWARE=lighttpd/1.4.69")]
    [InlineData("SCRIPT_NAME= PATH_INFO=/errors/403 REDIRECT_URI=/errors/403?e=1")]
    [InlineData("SCRIPT_NAME=/errors/403 REDIRECT_URI=/admin/x?own REDIRECT_URL=/admin/x QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME= PATH_INFO=/errors/403 DOCUMENT_URI= QUERY_STRING=e=1 SERVER_SOFTWARE=Caddy/v2.6.2")]
    [InlineData("SCRIPT_NAME= PATH_INFO=/errors/403 QUERY_STRING=e=1 SERVER_SOFTWARE=h2o/2.2.5")]
    [InlineData("SCRIPT_NAME=/errors PATH_INFO=/403 DOCUMENT_URI=/errors QUERY_STRING=e=1")]
    [InlineData("SCRIPT_NAME=/errors/403 PATH_INFO=/errors/403 QUERY_STRING=e=1 SERVER_SOFTWARE=Microsoft-IIS/10.0")]
    [InlineData("SCRIPT_NAME=/errors/403 PATH_INFO=/403 DOCUMENT_URI=/admin/x SERVER_PROTOCOL=INCLUDED QUERY_STRING=e=1")]
    public void The_page_that_the_web_server_asks_for_is_served(string @params)
    {
        var request = ParamSet.With([
            ("REQUEST_URI", "/admin/x?own"),
            .. @params.Split(' ').Select(pair => pair.Split('=', 2)).Select(pair => (pair[0], pair[1].Replace('~', ' ')))]);

        Assert.Equal(("/errors/403", "?e=1", "/errors/403?e=1"), (request.Path, request.QueryString, request.RawTarget));
    }

    /// <summary>What each web server makes of the same path, and does not redirect.</summary>
    [Theory]
    [InlineData("/a%2Fb//c%20d", "SCRIPT_NAME", "/a/b/c d")]
    [InlineData("/a%2Fb//c%20d", "SCRIPT_NAME", "/a/b//c d")]
    [InlineData("/a%2Fb//c%20d", "SCRIPT_NAME", "/a%2Fb/c d")]
    [InlineData("/a%2fb//c%20d", "PATH_INFO", "/a%2fb//c d")]
    [InlineData("/a/../b%2Fc", "PATH_INFO", "/a/../b/c")]
    [InlineData("/a/../b%2Fc", "PATH_INFO", "/b/c")]
    [InlineData("/a%zz", "PATH_INFO", "/a%zz")]
    [InlineData("/a%252Fb", "SCRIPT_NAME", "/a%2Fb")]
    [InlineData("http://h/a%2Fb?x", "SCRIPT_NAME", "/a/b")]
    [InlineData("http://h", "PATH_INFO", "/")]
    [InlineData("http://h?x", "PATH_INFO", "/")]
    [InlineData("*", "PATH_INFO", "/*")]
    [InlineData("/a%20b", "SCRIPT_FILENAME", "proxy:fcgi://app/a%20b")]
    [InlineData("/a?x=1", "SCRIPT_FILENAME", "proxy:fcgi://app/a?x=1")]
    [InlineData("/a%2Fb", "SCRIPT_FILENAME", "proxy:fcgi://app/a%252Fb")]
    [InlineData("//a//b%2Fc", "SCRIPT_FILENAME", "proxy:fcgi://app/a/b%2Fc")]
    [InlineData("/a/.././b%41|", "SCRIPT_FILENAME", "proxy:fcgi://app/bA%7C")]
    [InlineData("/%41|", "SCRIPT_FILENAME", "proxy:fcgi://app/A%7C")]
    [InlineData("/a%2f?x=[1]?y", "REDIRECT_URI", "/a/?x=%5B1%5D?y")]
    public void A_spelling_of_the_clients_path_is_no_redirect(string requestUri, string param, string value)
    {
        var query = requestUri.IndexOf('?', StringComparison.Ordinal);
        (string, string)[] @params =
        [
            ("REQUEST_METHOD", requestUri == "*" ? "OPTIONS" : "GET"), ("REQUEST_URI", requestUri), (param, value),
            ("QUERY_STRING", query < 0 ? "" : requestUri[(query + 1)..]),
        ];
        var expected = ParamSet.Load(
            new FastCgiServerOptions { TargetSource = FastCgiTargetSource.RequestUri },
            [.. ParamSet.Minimal, .. @params]);

        var request = ParamSet.With(@params);

        Assert.Equal((expected.RawTarget, expected.Path), (request.RawTarget, request.Path));
    }

    /// <summary>
    /// Apache and lighttpd pass a normalised path to an HTTP back end, and compare that path with their locations: behind a
    /// refused <c>/admin</c>, <c>/admin//../a</c> is <c>/a</c>, and no page below <c>/admin</c>.
    /// </summary>
    [Theory]
    [InlineData("/admin//../a?x=[1]", "SCRIPT_FILENAME", "proxy:fcgi://app/a", "/a?x=[1]")]
    [InlineData("/admin/x%2F..%2F../b%2Fc", "SCRIPT_FILENAME", "proxy:fcgi://app/b%2Fc", "/b%2Fc")]
    [InlineData("/admin//../a?x=[1]", "REDIRECT_URI", "/a?x=%5B1%5D", "/a?x=%5B1%5D")]
    [InlineData("/admin//../a?x=[1]", "SCRIPT_NAME", "/a", "/a?x=[1]")]
    [InlineData("/b/../a%2Fb//c%20d", "SCRIPT_NAME", "/a/b/c d", "/a/b/c%20d")]
    public void Dot_segments_lead_where_they_lead_in_the_web_server(
        string requestUri, string param, string value, string target)
    {
        var request = ParamSet.With(
            ("REQUEST_URI", requestUri), (param, value), ("CONTEXT_DOCUMENT_ROOT", param == "SCRIPT_NAME" ? "/srv" : ""),
            ("QUERY_STRING", requestUri.Split('?', 2).ElementAtOrDefault(1) ?? ""));

        Assert.Equal(target, request.RawTarget);
    }

    /// <summary>h2o 2.2.5 takes an absolute target for a path, which none of its guarded locations has.</summary>
    [Fact]
    public void An_absolute_target_that_the_web_server_takes_for_a_path_is_that_path()
    {
        var request = ParamSet.With(
            ("REQUEST_URI", "http://h/admin/a?x"), ("PATH_INFO", "/http://h/admin/a"), ("QUERY_STRING", "x"));

        Assert.Equal(("/http://h/admin/a", "/http://h/admin/a?x"), (request.Path, request.RawTarget));
    }

    [Fact]
    public void A_number_sign_in_a_rewritten_query_begins_no_fragment() => Assert.Equal(
        "/b?p=a%23b%23",
        ParamSet.With(("REQUEST_URI", "/a"), ("DOCUMENT_URI", "/b"), ("QUERY_STRING", "p=a#b#")).RawTarget);

    /// <summary>As Caddy sends it behind <c>handle_path /hp*</c>.</summary>
    [Theory]
    [InlineData("/hp?x")]
    [InlineData("http://h/hp?x")]
    public void A_path_that_is_stripped_as_a_whole_is_the_root(string requestUri) => Assert.Equal(
        "/?x",
        ParamSet.With(
            ("REQUEST_URI", requestUri), ("DOCUMENT_URI", ""), ("SCRIPT_NAME", ""), ("PATH_INFO", ""), ("QUERY_STRING", "x"))
            .RawTarget);

    /// <summary>Apache's proxy modules name the URL that they ask for, by <c>ProxyPass /app fcgi://app/other</c>.</summary>
    [Theory]
    [InlineData("/app/a%20b?x", "proxy:fcgi://app/other/a%20b", "/other/a b", "/other/a%20b?x")]
    [InlineData("/app/a%2Fb?x", "proxy:fcgi://127.0.0.1:9000/a%2Fb", "/a%2Fb", "/a%2Fb?x")]
    [InlineData("/app/?x", "proxy:fcgi://app/", "/", "/?x")]
    [InlineData("/app/?x", "proxy:scgi://app", "/", "/?x")]
    [InlineData("/app/srv/a?x", "proxy:fcgi://app/srv/a", "/app/srv/a", "/app/srv/a?x")]
    public void The_URL_that_Apache_asks_for_is_the_target(string requestUri, string file, string path, string target)
    {
        var request = ParamSet.With(
            ("REQUEST_URI", requestUri), ("SCRIPT_NAME", requestUri[..^2].Replace("%20", " ")), ("QUERY_STRING", "x"),
            ("SCRIPT_FILENAME", file), ("DOCUMENT_ROOT", "/srv"));

        Assert.Equal((path, target), (request.Path, request.RawTarget));
    }

    /// <summary>lighttpd sends an authorizer neither SCRIPT_NAME nor PATH_INFO.</summary>
    [Theory]
    [InlineData("/hall/a%20b?x=1", "", "x=1", "/hall/a%20b?x=1")]
    [InlineData("/hall//../members?x=1", "", "x=1", "/members?x=1")]
    [InlineData("/hall/x%2F..%2F../members?x=1", "/members", "x=1", "/members?x=1")]
    [InlineData("/hall/%61", "/hall/a", "", "/hall/%61")]
    [InlineData("/hall/../../members/a", "/members/a", "", "/members/a")]
    [InlineData("/rw/a%20b", "/hall/a%20b?added=1", "added=1", "/hall/a%20b?added=1")]
    public void An_authorizer_judges_the_page_that_the_web_server_asks_for(
        string requestUri, string redirectUri, string query, string target)
    {
        var (request, rejection) = Ask(requestUri, ("REDIRECT_URI", redirectUri), ("QUERY_STRING", query));

        Assert.Null(rejection);
        Assert.Equal(target, request.RawTarget);
    }

    /// <summary>
    /// An authorizer may stand in front of a file. The web server reads these paths as other ones than an application,
    /// and Apache also <c>/members/%2F..</c> as another one than lighttpd.
    /// </summary>
    [Theory]
    [InlineData("//members/a", "")]
    [InlineData("//members/a", "/members/a")]
    [InlineData("/members%2Fa", "")]
    [InlineData("/members%2Fa", "/members/a")]
    [InlineData("/members/%2F..", "")]
    [InlineData("/hall/../../members/a", "")]
    [InlineData("/rw/a", "/hall//a")]
    public void An_authorizer_is_not_asked_about_a_path_that_a_file_reads_otherwise(
        string requestUri, string redirectUri) =>
        Assert.Equal(400, Ask(requestUri, ("REDIRECT_URI", redirectUri)).Rejection?.StatusCode);

    /// <summary>
    /// Apache asks an authorizer about a decoded path, and encodes it for the responder later. With <c>nocanon</c> and
    /// <c>mapping=encoded</c> it is the encoded one.
    /// </summary>
    [Theory]
    [InlineData("/members/%252E%252E", "/members/%2E%2E", "/members/%252E%252E", "/members/%2E%2E")]
    [InlineData("/a%3Fb%23c?x=1", "/a?b#c", "/a%3Fb%23c?x=1", "/a?b#c")]
    [InlineData("/a%2F%20b?x=1", "/a%2F b", "/a%2F%20b?x=1", "/a%2F b")]
    [InlineData("/a/../b/%252E%252E", "/b/%2E%2E", "/a/../b/%252E%252E", "/b/%2E%2E")]
    [InlineData("/hall//../members?x=1", "/members", "/members?x=1", "/members")]
    [InlineData("/hall//../members?x=1", "/hall//../members?x=1", "/hall//../members?x=1", "/hall/members")]
    [InlineData("/a%252E%20b?x=1", "/a%252E%20b?x=1", "/a%252E%20b?x=1", "/a%2E b")]
    [InlineData("/a%252E%20b?x=1", "/a%252E%20b", "/a%252E%20b?x=1", "/a%2E b")]
    [InlineData("/door/a%20b%25?x=1", "/members/a b%", "/members/a%20b%25?x=1", "/members/a b%")]
    [InlineData("/door/?x=1", "", "/?x=1", "/")]
    public void An_authorizer_judges_the_path_that_Apache_sends_to_the_responder(
        string requestUri, string asked, string target, string path)
    {
        var (request, rejection) = AskProxied(requestUri, asked);

        Assert.Null(rejection);
        Assert.Equal((target, path), (request.RawTarget, request.Path));
    }

    /// <summary>
    /// A replaced path may be decoded or encoded: <c>/members/%2E%2E</c> may be a name or the root. PHP runs the script
    /// of Apache's path, and this server the client's.
    /// </summary>
    [Theory]
    [InlineData("//members/a", "/members/a")]
    [InlineData("/members%2Fa", "/members/a")]
    [InlineData("/door/%252E%252E", "/members/%2E%2E")]
    [InlineData("/door/a%20b", "/members/a%20b")]
    [InlineData("/door/a?x=1", "/members/a?x=1")]
    [InlineData("/door/a%23b", "/members/a#b")]
    [InlineData("/b//../a%2520", "/a%20")]
    public void An_authorizer_is_not_asked_about_a_path_that_has_two_meanings(string requestUri, string asked) =>
        Assert.Equal(400, AskProxied(requestUri, asked).Rejection?.StatusCode);

    [Fact]
    public void Without_the_params_that_tell_of_redirects_a_request_is_refused()
    {
        (string, string)[] @params = [("REQUEST_URI", "/admin"), ("SCRIPT_NAME", ""), ("QUERY_STRING", "")];

        var rejection = ParamSet.Rejection(@params);

        Assert.Equal(500, rejection?.StatusCode);
        Assert.Contains("fastcgi_param DOCUMENT_URI $document_uri;", rejection!.Detail, StringComparison.Ordinal);
        var options = new FastCgiServerOptions { TargetSource = FastCgiTargetSource.RequestUri };
        Assert.Null(ParamSet.Rejection(options, @params));
    }

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
    [InlineData("app/x", "/errors/400", "", "/errors/400")]
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
            ("", "/x", "", "/x"), ("/app/x", "/app/x", "/app", "/x"), ("x", "/errors/400", "", "/errors/400"),
        ];
        foreach (var (requestUri, documentUri, pathBase, path) in sequence)
        {
            ParamSet.LoadNext(request, ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri));
            Assert.Equal((pathBase, path), (request.PathBase, request.Path));
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
        foreach (var document in (string[])[documentUri, ""])
        {
            var rejection = ParamSet.Rejection(
                s_normalized, ("REQUEST_URI", requestUri), ("DOCUMENT_URI", document), ("SCRIPT_NAME", documentUri));
            Assert.Equal(isAccepted ? null : 400, rejection?.StatusCode);
        }

        Assert.Null(ParamSet.Rejection(("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri)));
        Assert.Null(ParamSet.Rejection(s_normalized, ("REQUEST_METHOD", "OPTIONS"), ("REQUEST_URI", "*")));
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
        Assert.Null(ParamSet.Rejection(s_normalized, ("REQUEST_URI", requestUri), ("DOCUMENT_URI", documentUri)));
        Assert.Equal(
            400, ParamSet.Rejection(s_normalized, ("REQUEST_URI", requestUri), ("PATH_INFO", documentUri))?.StatusCode);
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
        var request = ParamSet.Load(s_normalized, ("REQUEST_METHOD", "GET"), (param, value));

        Assert.Equal(path, request.Path);
    }

    [Theory]
    [InlineData("UNENCODED_URL", "/x/../a")]
    [InlineData("UNENCODED_URL", "/%61")]
    [InlineData("PATH_INFO", "/x/../a")]
    [InlineData("PATH_INFO", "//a")]
    public void Another_param_is_judged_like_REQUEST_URI(string param, string value) => Assert.Equal(
        400,
        ParamSet.Rejection(
            s_normalized, ("REQUEST_URI", ""), (param, value),
            ("SCRIPT_NAME", param == "UNENCODED_URL" ? "/a" : ""))?.StatusCode);

    /// <summary>As Apache asks an authorizer in front of mod_proxy_fcgi.</summary>
    private static (CgiRequest Request, CgiRejection? Rejection) AskProxied(string requestUri, string asked) => Ask(
        requestUri,
        ("SCRIPT_FILENAME", $"proxy:unix:/run/app.sock|fcgi://app{asked}"),
        ("QUERY_STRING", requestUri.Split('?').ElementAtOrDefault(1) ?? ""));

    private static (CgiRequest Request, CgiRejection? Rejection) Ask(
        string requestUri, params (string, string)[] @params)
    {
        var request = new CgiRequest(new FastCgiServerOptions()) { IsAuthorizer = true };
        ParamSet.Fill(
            request.Params, [.. ParamSet.Minimal, ("REQUEST_URI", requestUri), ("SCRIPT_NAME", ""), .. @params]);
        return (request, request.Load());
    }
}
