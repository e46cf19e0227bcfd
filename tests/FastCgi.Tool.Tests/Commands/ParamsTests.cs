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

        var page = await client.GetStringAsync("/a%20b?x=1");
        await stop.CancelAsync();
        await ended.Within("the end of params");
        stop.Dispose();

        Assert.Equal(ExitCode.Success, run.ExitCode);
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

    [Fact]
    public async Task A_taken_address_is_said()
    {
        await using var server = await EchoApplication.StartScgiAsync();

        var run = await ToolRun.OfAsync("params", server.Address["scgi://".Length..]);

        run.Fails(ExitCode.Unreachable, "cannot listen");
    }
}
