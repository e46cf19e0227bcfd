namespace FastCgi.Tool.Tests.Commands;

public sealed class HelpTests
{
    private static readonly ToolTerminal s_terminal =
        new(TextWriter.Null, TextWriter.Null, Stream.Null, Stream.Null);

    public static TheoryData<string> Commands =>
    [
        .. FcgiCommandLine.Create(s_terminal).Subcommands.Select(static command => command.Name),
    ];

    [Theory]
    [MemberData(nameof(Commands))]
    public async Task The_help_of_a_command_has_an_example_of_it(string command)
    {
        var run = await ToolRun.OfAsync(command, "--help");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains($"Examples:\n  fcgi {command} ", run.Output.ReplaceLineEndings("\n"), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Commands))]
    public void A_named_command_is_made_alone(string command)
    {
        var root = FcgiCommandLine.Create(s_terminal, command);

        Assert.Equal(command, Assert.Single(root.Subcommands).Name);
    }

    [Fact]
    public async Task The_help_names_every_command()
    {
        var run = await ToolRun.OfAsync("--help");

        Assert.All(Commands, command => Assert.Contains($"  {command.Data} ", run.Output, StringComparison.Ordinal));
    }

    /// <summary>There the name of the argument does not stand beside it.</summary>
    [Fact]
    public async Task The_list_of_commands_has_no_default_values()
    {
        var all = await ToolRun.OfAsync("--help");
        var get = await ToolRun.OfAsync("get", "--help");
        var doctor = await ToolRun.OfAsync("doctor", "--help");

        Assert.DoesNotContain("[default", all.Output, StringComparison.Ordinal);
        Assert.Contains("Default /.", get.Output, StringComparison.Ordinal);
        Assert.Contains("Default /etc/nginx/nginx.conf.", doctor.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("bash")]
    [InlineData("zsh")]
    [InlineData("fish")]
    [InlineData("pwsh")]
    public async Task A_shell_gets_a_script_that_asks_the_tool(string shell)
    {
        var run = await ToolRun.OfAsync("completion", shell);

        Assert.Contains("[suggest:", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_tool_suggests_what_may_follow()
    {
        var commands = await ToolRun.OfAsync("[suggest:6]", "fcgi p");
        var options = await ToolRun.OfAsync("[suggest:16]", "fcgi get x / --ve");

        commands.Prints("ping", "params");
        Assert.Contains("--verbose", options.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_terminal_gets_no_colours()
    {
        var run = await ToolRun.OnEchoAsync("bench", "APP", "-n", "20", "-c", "2", "--warm-up", "0");

        Assert.DoesNotContain('\e', run.Output + run.Error);
    }
}
