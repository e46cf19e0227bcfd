namespace FastCgi.WebServerTests.OtherServers;

/// <summary>Caddy opens a connection for each request, and sends all of the request before it reads the answer.</summary>
public sealed class CaddyOverloadTests
{
    private const int RequestRefused = 201;

    /// <summary>In bytes; more than a socket holds.</summary>
    private const int Upload = 1_000_000;

    [Fact]
    public async Task An_upload_that_is_refused_before_it_comes_is_a_503()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var site = await Site.StartAsync(
            app => WebServerProgram.StartCaddyAsync($"reverse_proxy unix/{app.SocketPath} {{\ntransport fastcgi\n}}"),
            app => app.Run(async context =>
            {
                entered.SetResult();
                await goOn.Task;
                await context.Response.WriteAsync("served");
            }),
            builder =>
            {
                builder.Logging.SetMinimumLevel(LogLevel.Debug);
                builder.Configuration["FastCgi:Limits:MaxConcurrentRequests"] = "1";
            });
        await using var served = await site.ConnectAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        await entered.Task.Within("the first request");

        await using var refused = await site.ConnectAsync(
            $"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {Upload}\r\n\r\n");
        await site.App.Log.WaitForAsync(static entry => entry.EventId.Id == RequestRefused, "the refusal");
        await refused.SendAsync(new byte[Upload]);
        var refusal = await refused.ReadResponseAsync();
        goOn.SetResult();

        Assert.Equal(503, refusal.Status);
        Assert.Equal("served", (await served.ReadResponseAsync()).Text);
    }
}
