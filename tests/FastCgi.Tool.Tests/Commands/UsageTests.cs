namespace FastCgi.Tool.Tests.Commands;

/// <summary>A command line that cannot be used is answered in plain words, with what was probably meant.</summary>
public sealed class UsageTests
{
    [Theory]
    [InlineData("there is no command 'docter'. Did you mean doctor?", "docter")]
    [InlineData("there is no command 'frobnicate'.\n", "frobnicate")]
    [InlineData("get has no option --hedaer. Did you mean --header?", "get", "127.0.0.1:9", "--hedaer", "x")]
    [InlineData("doctor has no option --prob. Did you mean --probe?", "doctor", "--prob")]
    [InlineData("run has no option --listn. Did you mean --listen?", "run", "--listn", "x", "--", "--own")]
    [InlineData("fcgi has no option --hlep. Did you mean --help?", "--hlep")]
    [InlineData("--timeout 'abc' is no number. Write it like --timeout 5.", "ping", "127.0.0.1:9", "--timeout", "abc")]
    [InlineData("--rate 'many' is no number.", "bench", "127.0.0.1:9", "--rate", "many")]
    [InlineData("--timeout needs a value.", "ping", "127.0.0.1:9", "--timeout")]
    [InlineData("get needs an endpoint. For example: fcgi get unix:/run/app/app.sock /", "get")]
    [InlineData("'ngnix' is none of ", "config", "ngnix")]
    [InlineData("Did you mean nginx?", "config", "ngnix")]
    [InlineData("--role 'filter' is none of authorizer, responder.", "get", "127.0.0.1:9", "--role", "filter")]
    [InlineData("'y' is one argument too many for ping.", "ping", "127.0.0.1:9", "y")]
    public async Task A_wrong_command_line_is_answered_in_plain_words(string message, params string[] arguments)
    {
        var run = await ToolRun.OfAsync(arguments);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(message, run.Error.ReplaceLineEndings("\n"), StringComparison.Ordinal);
        Assert.DoesNotContain("System.", run.Error, StringComparison.Ordinal);
        Assert.Contains("--help", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_tool_alone_shows_its_help()
    {
        var alone = await ToolRun.OfAsync();
        var help = await ToolRun.OfAsync("--help");

        Assert.Equal(ExitCode.Success, alone.ExitCode);
        Assert.Equal(help.Output, alone.Output);
    }

    [Theory]
    [InlineData("/", "'/' is a folder. ")]
    [InlineData("/nowhere.conf", "there is no file '/nowhere.conf'. ")]
    public async Task A_path_that_the_doctor_cannot_read_is_named(string path, string message)
    {
        var run = await ToolRun.OfAsync("doctor", path);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith($"fcgi: {message}", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ping")]
    [InlineData("status")]
    [InlineData("get")]
    public async Task A_socket_file_that_is_missing_is_named_in_the_words_of_the_system(string command)
    {
        var run = await ToolRun.OfAsync(command, "unix:/nowhere.sock");

        Assert.Equal(ExitCode.Unreachable, run.ExitCode);
        Assert.StartsWith(
            "fcgi: no connection to unix:/nowhere.sock: No such file or directory.", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("assign", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(403, "FastCgi:Status:AllowedClients")]
    [InlineData(404, "FastCgi:Status:Path")]
    public async Task The_cure_for_a_status_page_fits_the_answer(int status, string cure)
    {
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, context =>
        {
            context.Response.StatusCode = status;
            return Task.CompletedTask;
        });

        var run = await ToolRun.OfAsync("status", server.Address);

        Assert.Contains(cure, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("in the pool of PHP-FPM", run.Error, StringComparison.Ordinal);
    }
}
