using FastCgi.Tool.Parameters;

namespace FastCgi.Tool.Tests.Commands;

public sealed class ParamsTests
{
    [Fact]
    public async Task What_nginx_sends_is_explained_and_judged()
    {
        using var directory = new WorkDirectory();
        var socket = directory.File("app.sock");
        var (run, ended, stop) = ToolRun.Start("params", $"unix:{socket}");
        await run.WaitForAsync("listening on");
        var mode = File.GetUnixFileMode(socket);
        await using var nginx = await WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                location / {
                    include /etc/nginx/fastcgi_params;
                    fastcgi_pass unix:{{socket}};
                }
            }
            """);
        using var client = TestClient.Create(nginx.EndPoint);

        using var answer = await client.GetAsync("/a%20b?x=1");
        var page = await answer.Content.ReadAsStringAsync();
        await stop.CancelAsync();
        await ended.Within("the end of params");
        stop.Dispose();

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(WorkDirectory.EverybodysFile, mode);
        Assert.True(answer.Headers.CacheControl?.NoStore);
        foreach (var shown in (string[])[page, run.Output])
        {
            Assert.Contains("/a%20b?x=1", shown, StringComparison.Ordinal);
            Assert.Contains("Request.Path and QueryString are decoded from it", shown, StringComparison.Ordinal);
            Assert.Contains("has no port", shown, StringComparison.Ordinal);
            Assert.Contains("fastcgi_param HTTP_HOST $host$host_port;", shown, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Once_ends_after_a_request_and_judges_by_the_exit_code()
    {
        using var directory = new WorkDirectory();
        var endpoint = $"unix:{directory.File("app.sock")}";
        var (run, ended, stop) = ToolRun.Start("params", endpoint, "--once", "--json");
        await run.WaitForAsync("listening on");

        var sent = await ToolRun.OfAsync("get", endpoint, "/x", "-p", "SERVER_PROTOCOL", "-d", "12345");
        await ended.Within("the end of params");
        stop.Dispose();

        Assert.Equal(ExitCode.Success, sent.ExitCode);
        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.Equal(5, (int)run.Json["bodyLength"]!);
        Assert.Equal("/x", (string)run.Json["seen"]!["Request.Path"]!);
        Assert.Contains("SERVER_PROTOCOL is missing", (string)run.Json["advice"]![0]!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Once_that_is_ended_before_a_request_is_status_130()
    {
        using var directory = new WorkDirectory();
        var (run, ended, stop) = ToolRun.Start("params", $"unix:{directory.File("app.sock")}", "--once");
        await run.WaitForAsync("listening on");

        await stop.CancelAsync();
        await ended.Within("the end of params");
        stop.Dispose();

        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
    }

    [Theory]
    [InlineData("HTTPS is not set", true)]
    [InlineData("HTTPS $client_https if_not_empty; with the maps of docs/behind-a-proxy.md", true)]
    [InlineData("HTTPS is not set", true, "HTTPS=")]
    [InlineData("HTTPS is not set", true, "HTTPS=off")]
    [InlineData("HTTPS is not set", false, "HTTPS=on")]
    [InlineData("HTTPS is not set", false, "HTTPS=off", "HTTPS=on")]
    [InlineData("has no port", true, "HTTP_HOST=site.example")]
    [InlineData("has no port", true, "HTTP_HOST=[::1]")]
    [InlineData("has no port", false, "HTTP_HOST=[::1]:8080")]
    [InlineData("has no port", false, "HTTP_HOST=site.example:8080")]
    public void The_last_value_of_a_param_is_judged(string advice, bool isGiven, params string[] parameters)
    {
        string[] all =
            ["HTTP_X_FORWARDED_PROTO=https", "SERVER_PORT=8080", "SERVER_SOFTWARE=nginx/1.30", .. parameters];
        var request = new CapturedRequest(
            "FastCGI",
            [
                .. all.Select(static pair => pair.Split('='))
                    .Select(static pair => KeyValuePair.Create(pair[0], pair[1])),
            ],
            [],
            0);

        Assert.Equal(
            isGiven,
            ParameterAdvice.For(request).Any(text => text.Contains(advice, StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_taken_address_is_said()
    {
        await using var server = await EchoApplication.StartScgiAsync();

        var run = await ToolRun.OfAsync("params", server.Address["scgi://".Length..]);

        run.Fails(ExitCode.Unreachable, "cannot listen");
    }
}
