namespace FastCgi.Tool.Tests.Commands;

/// <summary>--timeout holds for the whole response: the application sends a head, and its body never ends.</summary>
public sealed class TimeoutTests
{
    [Theory]
    [InlineData("get", "{0}", "/")]
    [InlineData("get", "{0}", "/", "--json")]
    [InlineData("ping", "{0}", "--url", "/")]
    [InlineData("status", "{0}")]
    [InlineData("bench", "{0}")]
    public async Task A_body_that_stalls_is_status_5(params string[] arguments)
    {
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, StallAsync);

        var run = await ToolRun.OfAsync(
            [.. arguments.Select(text => text == "{0}" ? server.Address : text), "--timeout", "0.3"]);

        run.Fails(ExitCode.Timeout, "within 0.3 s", "--timeout");
    }

    [Fact]
    public async Task A_request_of_a_benchmark_that_stalls_is_a_failure()
    {
        var requests = 0;
        await using var server = await FunctionalServer.StartAsync(
            ServerTransport.EpollOnUnix,
            context => Interlocked.Increment(ref requests) == 2 ? StallAsync(context) : Task.CompletedTask);

        var run = await ToolRun.OfAsync(
            "bench", server.Address, "-n", "3", "-t", "600", "-c", "1", "--warm-up", "0",
            "--timeout", ToolRun.AmpleTimeout, "--json");

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.Equal(1, (int)run.Json["failures"]!);
        Assert.Equal(2, (int)run.Json["statuses"]!["200"]!);
    }

    private static async Task StallAsync(HttpContext context)
    {
        await context.Response.WriteAsync("begun");
        await context.Response.Body.FlushAsync();
        var gone = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var registration = context.RequestAborted.Register(gone.SetResult);
        await gone.Task;
    }
}
