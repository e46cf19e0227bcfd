using FastCgi.AspNetCore;

namespace FastCgi.Tool.Tests.Output;

/// <summary>What a peer sends cannot control the operator's terminal, and lines fit its width.</summary>
public sealed class TerminalTests
{
    private const string Hostile = "a\u001b]0;title\u0007b\u009b2Jc\u007fd\re";

    [Fact]
    public void Control_characters_are_shown()
    {
        var output = new StringWriter { NewLine = "\n" };
        var writer = new PrintableWriter(output) { NewLine = "\n" };

        writer.WriteLine(Hostile);
        writer.Write("tab\tand\nline".ToCharArray());

        Assert.Equal("a\\u001B]0;title\\u0007b\\u009B2Jc\\u007Fd\ne\ntab\tand\nline", output.ToString());
        Assert.Equal("a\\u000Ab", PrintableWriter.Show("a\nb"));
    }

    [Theory]
    [InlineData(60)]
    [InlineData(120)]
    public void Rows_fit_the_width_of_the_terminal(int width)
    {
        var output = new StringWriter();
        var terminal = new ToolTerminal(output, TextWriter.Null, Stream.Null, Stream.Null);
        terminal.Console.Profile.Width = width;

        terminal.WriteTable(
            ["param", "value", "meaning"],
            [["REQUEST_URI", "/orders?page=2", "the target as the client sent it: the path is decoded from it"]]);
        terminal.WriteWrapped(string.Join(' ', Enumerable.Repeat("word", 50)), indent: "    ");

        Assert.All(output.ToString().Split('\n'), line => Assert.True(line.TrimEnd().Length <= width, line));
        Assert.Equal(width == 120, output.ToString().Contains("meaning", StringComparison.Ordinal));
    }

    [Fact]
    public void A_word_that_is_longer_than_a_line_stays_whole()
    {
        var output = new StringWriter();
        var terminal = new ToolTerminal(output, TextWriter.Null, Stream.Null, Stream.Null);
        terminal.Console.Profile.Width = 40;
        var path = $"/{new string('a', 60)}";

        terminal.WriteWrapped($"{path} is a long path");

        Assert.Contains($"{path}{Environment.NewLine}is a long path", output.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status", "--full")]
    [InlineData("status")]
    [InlineData("get", "-i")]
    public async Task What_an_application_answers_is_text(string command, params string[] arguments)
    {
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, static async context =>
        {
            await context.Features.Get<IFastCgiRequestFeature>()!.WriteErrorAsync("error \u001b[2J"u8.ToArray());
            await context.Response.WriteAsync(
                context.Request.Query.Count == 0
                    ? "body"
                    : """{ "a:warning:b": "[red]x[/] \u001b[2J", "processes": [ { "uri": "/:boom:\u0007" } ] }""");
        });

        var run = await ToolRun.OfAsync([command, server.Address, .. arguments]);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.DoesNotContain(run.Output + run.Error, static c => char.IsControl(c) && c is not ('\n' or '\r'));
        if (command == "status")
        {
            run.Prints("a:warning:b", "[red]x[/] \\u001B[2J");
        }
        else
        {
            Assert.Contains("error \\u001B[2J", run.Error, StringComparison.Ordinal);
        }
    }
}
