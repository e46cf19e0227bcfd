namespace FastCgi.Tool.Tests.Commands;

public sealed class GetTests
{
    [Fact]
    public async Task The_body_comes_out_and_the_URL_goes_in()
    {
        var run = await ToolRun.OnEchoAsync(
            "get", "APP", "https://www.example.com:8443/a/../b//c%2Fd?x=1#end", "--verbose");

        run.Succeeds("method=GET\ntarget=/a/../b//c%2Fd?x=1\nhost=www.example.com:8443\nscheme=https");
        Assert.Contains(">   REQUEST_URI=/a/../b//c%2Fd?x=1", run.Error.ReplaceLineEndings("\n").Split('\n'));
    }

    [Fact]
    public async Task Method_headers_body_and_params_are_those_of_the_command_line()
    {
        var run = await ToolRun.OnEchoAsync(
            "get", "APP", "/orders", "-X", "PATCH", "-H", "X-Test: one", "-H", "Content-Type: application/json",
            "-d", "{}", "-p", "APP_PARAM=a=b", "-p", "SERVER_SOFTWARE", "-u", "alice:secret", "--from", "203.0.113.7");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        string[] expected =
        [
            "method=PATCH", "type=application/json", "test=one", "param=a=b", "software=", "remote=203.0.113.7",
            "authorization=Basic YWxpY2U6c2VjcmV0", "body={}",
        ];
        Assert.All(expected, line => Assert.Contains(line, run.Output.Split('\n')));
    }

    [Fact]
    public async Task A_body_without_a_type_is_a_form_sent_by_POST()
    {
        await using var server = await EchoApplication.StartAsync();

        var run = await ToolRun.OfAsync("a=1&b=2", ["get", server.Address, "/", "-d", "@-"]);

        run.Prints("method=POST", "type=application/x-www-form-urlencoded");
        Assert.EndsWith("body=a=1&b=2", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_file_is_uploaded_by_PUT()
    {
        await using var server = await EchoApplication.StartAsync();
        var run = await ToolRun.OnFileAsync("of a file", "get", server.Address, "/", "-T", "FILE");

        Assert.Contains("method=PUT", run.Output, StringComparison.Ordinal);
        Assert.Contains("type=\n", run.Output, StringComparison.Ordinal);
        Assert.EndsWith("body=of a file", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_type_in_any_letter_case_is_the_only_one()
    {
        var run = await ToolRun.OnEchoAsync("get", "APP", "/", "-H", "content-type: text/plain", "-d", "body");

        run.Succeeds("type=text/plain\n");
    }

    /// <summary>The application decides what it makes of such a header, and a user may test that.</summary>
    [Theory]
    [InlineData("Proxy: http://evil.example", ">   HTTP_PROXY=http://evil.example\n")]
    [InlineData("X_Real_Ip: 203.0.113.7", ">   HTTP_X_REAL_IP=203.0.113.7\n")]
    public async Task A_header_that_web_servers_drop_is_sent(string header, string sent)
    {
        var run = await ToolRun.OnEchoAsync("get", "APP", "/", "-H", header, "--verbose");

        Assert.Contains(sent, run.Error.ReplaceLineEndings("\n"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(new byte[] { 97, 0, 98 }, "bodyBase64", "YQBi")]
    [InlineData(new byte[] { 97, 0xFF }, "bodyBase64", "Yf8=")]
    [InlineData(new byte[] { 0xC3, 0xA4 }, "body", "ä")]
    public async Task Json_has_a_body_as_text_where_it_is_text(byte[] body, string name, string value)
    {
        await using var server = await FunctionalServer.StartAsync(
            ServerTransport.EpollOnUnix, async context => await context.Response.Body.WriteAsync(body));

        var json = (await ToolRun.OfAsync("get", server.Address, "/", "--json")).Json;

        Assert.Equal(value, (string)json[name]!);
        Assert.Null(json[name == "body" ? "bodyBase64" : "body"]);
    }

    [Fact]
    public async Task Verbose_shows_the_records_of_both_sides()
    {
        var run = await ToolRun.OnEchoAsync("get", "APP", "/x?stderr", "-d", "hello", "--verbose");

        string[] expected =
        [
            "> BEGIN_REQUEST id 1, 8 bytes: responder, keeps the connection",
            ">   REQUEST_URI=/x?stderr",
            "> PARAMS id 1, 0 bytes: end of the stream",
            "> STDIN id 1, 0 bytes: end of the stream",
            "<   Status: 200 OK",
            "<   a complaint",
            "< STDOUT id 1, 0 bytes: end of the stream",
            "< END_REQUEST id 1, 8 bytes: RequestComplete, application status 0",
        ];
        var lines = run.Error.Split('\n').Select(static line => line.Split(" + ")[0]).ToList();
        Assert.All(expected, line => Assert.Contains(line, lines));
        Assert.Contains("STDERR: a complaint", lines);
    }

    [Fact]
    public async Task Verbose_shows_the_head_of_SCGI()
    {
        await using var server = await EchoApplication.StartScgiAsync();

        var run = await ToolRun.OfAsync("get", server.Address, "/over-scgi", "--verbose");

        run.Succeeds("target=/over-scgi");
        Assert.Contains(">   SCGI=1", run.Error, StringComparison.Ordinal);
        Assert.Contains(">   REQUEST_URI=/over-scgi", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Include_prints_the_head_and_fail_sets_the_exit_code()
    {
        var run = await ToolRun.OnEchoAsync("get", "APP", "/?status=404", "-i", "-f");
        var head = await ToolRun.OnEchoAsync("get", "APP", "/", "-I");
        var first = await ToolRun.OnEchoAsync("get", "APP", "/?status=400", "-f");

        Assert.Equal(ExitCode.Findings, first.ExitCode);
        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.StartsWith("Status: 404 Not Found", run.Output, StringComparison.Ordinal);
        Assert.Contains("X-Echo: yes", run.Output, StringComparison.Ordinal);
        head.Succeeds("Status: 200 OK", "X-Echo: yes");
        Assert.DoesNotContain("method=", head.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Json_has_status_headers_body_and_the_error_stream()
    {
        await using var server = await EchoApplication.StartAsync();

        var json = (await ToolRun.OfAsync("get", server.Address, "/?status=418&stderr", "--json")).Json;

        Assert.Equal(418, (int)json["status"]!);
        Assert.Equal("a complaint", (string)json["standardError"]!);
        Assert.Contains("method=GET", (string)json["body"]!, StringComparison.Ordinal);
        Assert.Contains(json["headers"]!.AsArray(), static header => (string)header!["name"]! == "X-Echo");
    }

    [Fact]
    public async Task Json_leaves_the_body_to_the_file_that_takes_it()
    {
        using var directory = new WorkDirectory();
        var run = await ToolRun.OnEchoAsync(
            "get", "APP", "/", "-d", "sent", "--json", "-o", directory.File("body"));

        Assert.True(run.ExitCode == ExitCode.Success, run.Error);
        var body = await File.ReadAllTextAsync(directory.File("body"));
        Assert.EndsWith("body=sent", body, StringComparison.Ordinal);
        Assert.Equal(body.Length, (int)run.Json["bodyLength"]!);
        Assert.Null(run.Json["body"]);
    }
}
