namespace FastCgi.AspNetCore.Tests.Cgi;

public class PathBaseTests
{
    [Theory]
    [InlineData("/app", "/app/x", "/app", "/x")]
    [InlineData("/app/", "/app/x", "/app", "/x")]
    [InlineData("/app", "/app", "/app", "")]
    [InlineData("/app", "/app/", "/app", "/")]
    [InlineData("/app", "/APP/x", "/APP", "/x")]
    [InlineData("/app", "/appx", "", "/appx")]
    [InlineData("/app", "/other", "", "/other")]
    [InlineData("/a/b", "/a/b/c", "/a/b", "/c")]
    [InlineData("app", "/app/x", "/app", "/x")]
    [InlineData("/", "/x", "", "/x")]
    [InlineData("", "/app/x", "", "/app/x")]
    [InlineData("/app", "*", "", "")]
    [InlineData("/app", "/app%2Fx", "", "/app%2Fx")]
    [InlineData("/app", "/%61pp/x", "/app", "/x")]
    public void The_administrator_sets_it(string pathBase, string target, string expectedBase, string expectedPath)
    {
        var request = ParamSet.With(
            ("REQUEST_METHOD", target == "*" ? "OPTIONS" : "GET"), ("ASPNETCORE_PATHBASE", pathBase),
            ("REQUEST_URI", target));

        Assert.Equal((expectedBase, expectedPath), (request.PathBase, request.Path));
        Assert.Equal(target, request.RawTarget);
    }

    [Fact]
    public void The_application_comes_before_the_administrator()
    {
        var options = new FastCgiServerOptions { PathBase = "/code/" };

        var request = ParamSet.Load(options, [
            .. ParamSet.Minimal, ("REQUEST_URI", "/code/app/x"), ("ASPNETCORE_PATHBASE", "/code/app")]);
        Assert.Equal(("/code", "/app/x"), (request.PathBase, request.Path));
    }

    [Theory]
    [InlineData("/fc", "/a b", "/fc/a%20b", "/fc", "/a b")]
    [InlineData("/a b", "/c", "/a%20b/c", "/a b", "/c")]
    [InlineData("", "/a", "/a", "", "/a")]
    [InlineData("/new/a", "", "/rw/a", "/new/a", "")]
    public void SCRIPT_NAME_is_one_only_by_choice(
        string scriptName, string pathInfo, string target, string pathBase, string path)
    {
        (string, string)[] @params =
        [
            .. ParamSet.Minimal, ("REQUEST_URI", target), ("SCRIPT_NAME", scriptName), ("PATH_INFO", pathInfo),
        ];

        var chosen = ParamSet.Load(new FastCgiServerOptions { PathBaseFromScriptName = true }, @params);
        Assert.Equal((pathBase, path), (chosen.PathBase, chosen.Path));
        Assert.Equal("", ParamSet.Load(@params).PathBase);
    }

    [Fact]
    public void It_follows_the_params_from_request_to_request()
    {
        var request = new CgiRequest(new FastCgiServerOptions());
        foreach (var (pathBase, target, expectedBase, expectedPath) in new[]
        {
            ("/app", "/app/x", "/app", "/x"), ("/app", "/app/x", "/app", "/x"), ("", "/app/x", "", "/app/x"),
            ("/app/x", "/app/x", "/app/x", ""), ("/app", "/y", "", "/y"), ("/app", "/app/x", "/app", "/x"),
        })
        {
            ParamSet.LoadNext(request, ("ASPNETCORE_PATHBASE", pathBase), ("REQUEST_URI", target));
            Assert.Equal((expectedBase, expectedPath), (request.PathBase, request.Path));
        }
    }
}
