using FastCgi.Gateway.Tests.Php;

namespace FastCgi.Tool.Tests.Commands;

public sealed class StatusTests
{
    [Fact]
    public async Task The_page_of_PHP_is_read()
    {
        using var directory = new WorkDirectory();
        await using var php = await PhpFpm.StartAsync(directory, "pm.status_path = /status");

        var text = await ToolRun.OfAsync("status", php.Endpoint);
        var json = await ToolRun.OfAsync("status", php.Endpoint, "--full", "--json");

        text.Succeeds("total processes");
        Assert.Equal("www", (string)json.Json["pool"]!);
        Assert.Equal(4, json.Json["processes"]!.AsArray().Count);
        Assert.Contains(
            "/status", (await ToolRun.OfAsync("status", php.Endpoint, "--full")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_that_is_no_status_page_says_where_to_set_it()
    {
        using var directory = new WorkDirectory();
        await using var php = await PhpFpm.StartAsync(directory);
        await using var server = await EchoApplication.StartAsync();

        var missing = await ToolRun.OfAsync("status", php.Endpoint);
        var other = await ToolRun.OfAsync("status", server.Address);

        missing.Fails(ExitCode.Findings, "pm.status_path = /status");
        Assert.Equal(ExitCode.BrokenAnswer, other.ExitCode);
    }

    [Fact]
    public async Task Times_are_shown_for_people_and_left_alone_in_JSON()
    {
        await using var server = await FunctionalServer.StartAsync(
            ServerTransport.EpollOnUnix, static context => context.Response.WriteAsync("""
                {
                    "start time": 1764158400, "start since": 93784, "accepted conn": 7,
                    "processes": [ { "pid": 1, "start time": 1764158400, "request duration": 1234 } ]
                }
                """));

        var text = await ToolRun.OfAsync("status", server.Address, "--full");
        var json = await ToolRun.OfAsync("status", server.Address, "--json");

        text.Prints(
            "start time     2025-11-26 12:00:00 UTC", "start since    1.02:03:04", "accepted conn  7", "1.234 ms");
        Assert.Equal(1764158400, (long)json.Json["start time"]!);
    }

    /// <summary>.NET has no windows-1252 of its own.</summary>
    [Fact]
    public async Task A_page_is_read_whatever_its_charset()
    {
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, static context =>
        {
            context.Response.ContentType = "application/json; charset=windows-1252";
            return context.Response.WriteAsync("""{ "pool": "Größe" }""");
        });

        var run = await ToolRun.OfAsync("status", server.Address);

        run.Succeeds("pool  Größe");
    }
}
