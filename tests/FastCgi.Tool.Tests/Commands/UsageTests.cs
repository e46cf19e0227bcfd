namespace FastCgi.Tool.Tests.Commands;

/// <summary>A command line that cannot be used is answered in plain words, with what was probably meant.</summary>
public sealed class UsageTests
{
    /// <summary>Longer than a unix socket's may be.</summary>
    internal const string LongPath = "unix:/run/a-path-of-more-than-107-bytes/a-path-of-more-than-107-bytes/" +
        "a-path-of-more-than-107-bytes/application.sock";

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
        Assert.Empty(run.Output);
    }

    [Theory]
    [InlineData("the endpoint 'no endpoint:at all' cannot be used", "get", "no endpoint:at all")]
    [InlineData("'ftp://x/' is no URL.", "get", "127.0.0.1:1", "ftp://x/")]
    [InlineData("the header 'no colon' has no name.", "get", "127.0.0.1:1", "/", "-H", "no colon")]
    [InlineData("the header 'X: a\nb' has a character in it", "get", "127.0.0.1:1", "/", "-H", "X: a\nb")]
    [InlineData("has a character in it", "get", "127.0.0.1:1", "/", "-H", "X: a\rb")]
    [InlineData("has a character in it", "get", "127.0.0.1:1", "/", "-H", "X: a\0b")]
    [InlineData("the header 'X Y: a' has a character in it", "get", "127.0.0.1:1", "/", "-H", "X Y: a")]
    [InlineData("the header 'X\nY: a' has a character in it", "get", "127.0.0.1:1", "/", "-H", "X\nY: a")]
    [InlineData("the param '=value' has no name.", "get", "127.0.0.1:1", "/", "-p", "=value")]
    [InlineData("--method '' is no method.", "get", "127.0.0.1:1", "/", "-X", "")]
    [InlineData("--method 'NO METHOD' is no method.", "get", "127.0.0.1:1", "/", "-X", "NO METHOD")]
    [InlineData("--root 'relative' is no absolute path.", "get", "127.0.0.1:1", "/", "--root", "relative")]
    [InlineData("--root '' is no absolute path.", "get", "127.0.0.1:1", "/", "--root", "")]
    [InlineData("--from 'nobody' is no IP address.", "get", "127.0.0.1:1", "/", "--from", "nobody")]
    [InlineData("--timeout 0 is no time.", "get", "127.0.0.1:1", "/", "-m", "0")]
    [InlineData("--timeout 86401 is no time.", "get", "127.0.0.1:1", "/", "-m", "86401")]
    [InlineData("there is no file '/no/such/file' to send.", "get", "127.0.0.1:1", "/", "-T", "/no/such/file")]
    [InlineData("Give one of them.", "get", "127.0.0.1:1", "/", "-d", "x", "-T", "/etc/hostname")]
    [InlineData("the target '/index.php' names a script", "get", "127.0.0.1:1", "/index.php")]
    [InlineData("--path 'status' does not begin with a slash.", "status", "127.0.0.1:1", "--path", "status")]
    [InlineData("the application has no name.", "run", "")]
    [InlineData("the settings '' cannot be read", "config", "nginx", "--settings", "")]
    [InlineData("--output '' cannot be written", "config", "nginx", "--output", "")]
    [InlineData("--listen 'localhost:8080' is no URL", "serve", "127.0.0.1:9000", "--listen", "localhost:8080")]
    [InlineData("--root '/no/directory' is no directory.", "serve", "127.0.0.1:9000", "--root", "/no/directory")]
    // A command that tries to listen at an address of another machine ends with another status.
    [InlineData(
        "--front-controller '/index.php' needs --root",
        "serve", "127.0.0.1:9000", "--listen", "http://192.0.2.1:80", "--front-controller", "/index.php")]
    [InlineData(
        "--script-root '/var/www/html' needs --root",
        "serve", "127.0.0.1:9000", "--listen", "http://192.0.2.1:80", "--script-root", "/var/www/html")]
    [InlineData("--connections 0 is out of range.", "bench", "127.0.0.1:1", "-c", "0")]
    [InlineData("--requests 0 is no number of requests.", "bench", "127.0.0.1:1", "-n", "0")]
    [InlineData("--rate 0 is no rate.", "bench", "127.0.0.1:1", "--rate", "0")]
    [InlineData("--duration -1 is no time.", "bench", "127.0.0.1:1", "-t", "-1")]
    [InlineData("--warm-up -1 is no time.", "bench", "127.0.0.1:1", "--warm-up", "-1")]
    [InlineData("the endpoint 'fd:3' cannot be connected to", "ping", "fd:3")]
    [InlineData("the endpoint '*:9000' cannot be connected to", "ping", "*:9000")]
    [InlineData("the endpoint '127.0.0.1:0' cannot be connected to", "ping", "127.0.0.1:0")]
    [InlineData($"the endpoint '{LongPath}' cannot be connected to", "ping", LongPath)]
    public async Task A_value_that_cannot_be_used_is_status_2(string message, params string[] arguments)
    {
        var run = await ToolRun.OfAsync(arguments);

        run.Fails(ExitCode.Usage, message);
        Assert.StartsWith("fcgi: ", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
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
        Assert.Contains("Start the application, or correct the path.", run.Error, StringComparison.Ordinal);
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
