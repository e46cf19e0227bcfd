namespace FastCgi.WebServerTests.Documentation;

/// <summary>The lines of docs/instances.md that take a host out, on a real nginx.</summary>
public sealed class DrainTests
{
    [Fact]
    public async Task A_host_is_stopped_after_the_last_request_that_nginx_had_sent_it()
    {
        var isAsked = new TaskCompletionSource();
        var isReleased = new TaskCompletionSource();
        await using var site = await Site.StartAsync(
            app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
                server {
                    listen {{endPoint}};
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_pass unix:{{app.SocketPath}};
                    }
                }
                """),
            app => app.Run(async context =>
            {
                isAsked.SetResult();
                await isReleased.Task;
                await context.Response.WriteAsync("done");
            }));
        var folder = Path.GetDirectoryName(site.WebServer.ConfigurationFile)!;
        var lines = Assert.Single(
            MarkdownBlocks.Read(Path.Combine(Repository.Root, "docs", "instances.md"), "bash"),
            static block => block.Contains("down;", StringComparison.Ordinal));
        var script = lines
            .With("/etc/nginx/conf.d/app.conf", site.WebServer.ConfigurationFile)
            .With("/run/nginx.pid", $"{folder}/nginx.pid")
            .With("nginx -s reload", $"kill -HUP \"$(cat {folder}/nginx.pid)\"")
            .With("ssh 10.0.0.11 systemctl stop app", "echo stopped");
        var answer = site.Client.GetStringAsync("/");
        await isAsked.Task.Within("the request");

        await using var drain = ChildProcess.Start("bash", ["-c", script], folder);
        await site.WebServer.ErrorLog.WaitForAsync("gracefully shutting down");
        Assert.DoesNotContain("stopped", drain.Log.Lines);

        isReleased.SetResult();
        Assert.Equal("done", await answer.Within("the answer"));
        Assert.Equal(0, await drain.WaitAsync("the end of the drain"));
        Assert.Contains("stopped", drain.Log.Lines);
    }
}
