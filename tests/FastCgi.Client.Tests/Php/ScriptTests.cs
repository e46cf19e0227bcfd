using FastCgi.Client.Php;

namespace FastCgi.Client.Tests.Php;

/// <summary>Which script a target names, and what PHP learns about it.</summary>
public sealed class ScriptTests
{
    [Theory]
    [InlineData("/", "/index.php", "")]
    [InlineData("/index.php", "/index.php", "")]
    [InlineData("/a/b.php", "/a/b.php", "")]
    [InlineData("/a/b.php/c/d.php", "/a/b.php", "/c/d.php")]
    [InlineData("/a/", "/a/index.php", "")]
    [InlineData("/2026/11/an-entry", "/index.php", "")]
    [InlineData("/image.php.png", "/index.php", "")]
    [InlineData("/image.png/x.php", "/image.png/x.php", "")]
    [InlineData("/UPPER.PHP", "/index.php", "")]
    [InlineData("/.php", "/index.php", "")]
    [InlineData("//a//b.php//c", "/a/b.php", "/c")]
    [InlineData("/x/%2e%2e/a.php", "/a.php", "")]
    [InlineData("/İ/a.php/b", "/İ/a.php", "/b")]
    [InlineData("/Ⱥ.php/ⱥ.php", "/Ⱥ.php", "/ⱥ.php")]
    [InlineData("/index.php/AC%5CDC", "/index.php", "/AC\\DC")]
    [InlineData("/index.php/a%5C..%5Cb", "/index.php", "/a\\..\\b")]
    [InlineData("/AC%5CDC", "/index.php", "")]
    public async Task A_path_is_cut_behind_the_script(string target, string script, string pathInfo)
    {
        var request = await ReceivedAsync(target, static options => options.DocumentRoot = "/srv/blog/");
        Assert.Equal("/srv/blog", request["DOCUMENT_ROOT"]);
        Assert.Equal("/srv/blog" + script, request["SCRIPT_FILENAME"]);
        Assert.Equal(script, request["SCRIPT_NAME"]);
        Assert.Equal(pathInfo, request["PATH_INFO"]);
        Assert.Equal(target, request["REQUEST_URI"]);
        Assert.Equal(pathInfo.Length > 0, request.Parameters.ContainsKey("PATH_TRANSLATED"));
    }

    [Theory]
    [InlineData("/../etc/passwd.php")]
    [InlineData("/a/../../b.php")]
    [InlineData("/%2e%2e/b.php")]
    [InlineData("/a.php%00.txt")]
    [InlineData("/a\\..\\b.php")]
    [InlineData("/a%5C..%5Cb.php/c")]
    [InlineData("/a%5Cb/")]
    [InlineData("/a.php/c%00")]
    [InlineData("a.php")]
    public async Task A_path_outside_the_root_is_refused(string target)
    {
        using var application = new ScriptedApplication(static options => options.DocumentRoot = "/srv/blog");
        using var request = Request(target);
        await application.SendAsync(request).FailsAsync(FastCgiError.InvalidRequest);
        Assert.Equal(0, application.Opened);
    }

    [Theory]
    [InlineData("/index.php")]
    [InlineData("/a/b.php/c?d")]
    public async Task A_script_needs_a_document_root(string target)
    {
        using var application = new ScriptedApplication();
        using var request = Request(target);
        var exception = await application.SendAsync(request).FailsAsync(FastCgiError.InvalidRequest);
        Assert.Contains("DocumentRoot", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_script_extensions_no_target_is_a_script()
    {
        var request = await ReceivedAsync("/index.php", static options => options.ScriptExtensions.Clear());
        Assert.Equal("/index.php", request["PATH_INFO"]);
    }

    [Fact]
    public async Task Without_script_extensions_the_whole_path_is_the_script()
    {
        var request = await ReceivedAsync("/a/b.php/c", static options =>
        {
            options.DocumentRoot = "/srv";
            options.ScriptExtensions.Clear();
        });
        Assert.Equal("/srv/a/b.php/c", request["SCRIPT_FILENAME"]);
        Assert.Equal("", request["PATH_INFO"]);
    }

    [Theory]
    [InlineData("/blog/wp-admin/?a", "/wp-admin/index.php")]
    [InlineData("/blog?a", "/index.php")]
    [InlineData("/blogger/x.php?a", "/blogger/x.php")]
    public async Task A_mount_point_is_no_part_of_the_root(string target, string script)
    {
        var received = await ReceivedAsync(
            target, static options => options.DocumentRoot = "/srv/blog",
            static request => request.Options.Set(FastCgiRequestOptions.PathBase, "/blog"));
        Assert.Equal($"/blog{script}", received["SCRIPT_NAME"]);
        Assert.Equal($"/srv/blog{script}", received["SCRIPT_FILENAME"]);
        Assert.Equal("a", received["QUERY_STRING"]);
    }

    [Fact]
    public async Task A_request_may_name_its_script()
    {
        var received = await ReceivedAsync(
            "/x.php/y", static options => options.DocumentRoot = "/srv",
            static request => request.Options.Set(FastCgiRequestOptions.ScriptName, "/app.php"));
        Assert.Equal("/srv/app.php", received["SCRIPT_FILENAME"]);
    }

    [Theory]
    [InlineData("/a/./b/../c//d/.", "/a/c/d/")]
    [InlineData("/", "/")]
    [InlineData("/a/..", "/")]
    [InlineData("/..a/...", "/..a/...")]
    public void Dots_and_slashes_are_resolved(string path, string expected)
    {
        Assert.True(ScriptPath.TryNormalize(Encoding.UTF8.GetBytes(path), out byte[] normalized));
        Assert.Equal(expected, Encoding.UTF8.GetString(normalized));
    }

    private static HttpRequestMessage Request(string target)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/");
        request.Options.Set(FastCgiRequestOptions.RequestTarget, target);
        return request;
    }

    private static async Task<ReceivedRequest> ReceivedAsync(
        string target, Action<FastCgiHandlerOptions> configure, Action<HttpRequestMessage>? change = null)
    {
        using var application = new ScriptedApplication(configure);
        using var request = Request(target);
        change?.Invoke(request);
        return await application.ReceiveAsync(request);
    }
}
