using System.CommandLine;
using System.Text.RegularExpressions;
using FastCgi.Tool.Tests.Doctor;

namespace FastCgi.Tool.Tests.Documentation;

/// <summary>docs/tool.md and the help say what the tool takes, and name every finding.</summary>
public sealed partial class ToolPageTests
{
    private static readonly string s_page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "tool.md"));

    private static readonly RootCommand s_root = FcgiCommandLine.Create(
        new ToolTerminal(TextWriter.Null, TextWriter.Null, Stream.Null, Stream.Null));

    public static TheoryData<string> Lines =>
    [
        .. BashBlock().Matches(s_page).SelectMany(static block => block.Groups[1].Value.Split('\n'))
            .Concat(
                s_root.Subcommands.OfType<CommandLine.ExampleCommand>().SelectMany(static command => command.Examples))
            .Select(static line => line[(line.IndexOf('|', StringComparison.Ordinal) + 1)..].Split('>')[0].Trim())
            .Where(static line => line.StartsWith("fcgi ", StringComparison.Ordinal)).Distinct(),
    ];

    [Theory]
    [MemberData(nameof(Lines))]
    public void A_command_line_of_the_page_and_of_the_help_is_understood(string line)
    {
        string[] words = [.. Word().Matches(line).Select(static word =>
            word.Groups[1].Value + word.Groups[2].Value + word.Groups[3].Value)];

        var parsed = s_root.Parse(words[1..], new ParserConfiguration { ResponseFileTokenReplacer = null });

        Assert.Empty(parsed.Errors.Select(static error => error.Message));
    }

    [Fact]
    public void Every_command_is_on_the_page() =>
        Assert.All(
            s_root.Subcommands,
            static command => Assert.Contains($"`{command.Name}`", s_page, StringComparison.Ordinal));

    [Fact]
    public void The_page_lists_the_findings_of_the_rules()
    {
        var rules = Directory.EnumerateFiles(
            Path.Combine(Repository.Root, "src/FastCgi.Tool/Doctor"), "*.cs", SearchOption.AllDirectories)
            .Append(Path.Combine(Repository.Root, "src/FastCgi.Tool/Commands/DoctorCommand.cs"))
            .SelectMany(static file => Rule().Matches(File.ReadAllText(file)))
            .Select(static rule => rule.Groups[1].Value)
            .Concat(SeedTests.Rules)
            .Distinct().Order(StringComparer.Ordinal);
        var begin = s_page.IndexOf("| finding |", StringComparison.Ordinal);
        var listed = s_page[begin..s_page.IndexOf("## run", StringComparison.Ordinal)];

        Assert.Equal(
            rules,
            Listed().Matches(listed).SelectMany(static row => Name().Matches(row.Value))
                .Select(static name => name.Groups[1].Value).Order(StringComparer.Ordinal));
    }

    [GeneratedRegex("^```bash\n(.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex BashBlock();

    [GeneratedRegex("""
        "([^"]*)"|'([^']*)'|(\S+)
        """)]
    private static partial Regex Word();

    [GeneratedRegex("""
        new(?: Finding)?\(\s*"([a-z-]+)",
        """)]
    private static partial Regex Rule();

    [GeneratedRegex("^\\| (`[a-z-]+`[^|]*)\\|", RegexOptions.Multiline)]
    private static partial Regex Listed();

    [GeneratedRegex("`(?!-)([a-z-]+)`")]
    private static partial Regex Name();
}
