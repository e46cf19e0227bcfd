namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>docs/architecture.md says what the code does: its rooms, transitions, sizes and numbered steps.</summary>
public sealed partial class ArchitecturePageTests
{
    private const string Page = "docs/architecture.md";

    private static readonly string s_page = Source.Read(Page);

    [Fact]
    public void The_page_has_the_tables_of_the_code()
    {
        var current = Table().Replace(
            s_page, static table => $"<!-- {table.Groups["name"].Value} -->\n{Transitions.Of(table.Groups["name"].Value)}");
        current = Room().Replace(
            current, static room => $"{room.Groups["before"].Value} {Uses(room.Groups["room"].Value)} |");
        Source.AssertUpToDate(Page, current);
    }

    [Fact]
    public void The_page_has_every_table() => Assert.Equal(
        Transitions.Names, Table().Matches(s_page).Select(static table => table.Groups["name"].Value));

    [Fact]
    public void The_page_has_every_room() => Assert.Equal(
        LayeringTests.Allowed.Keys.Order(StringComparer.Ordinal),
        Room().Matches(s_page).Select(static room => room.Groups["room"].Value));

    [Fact]
    public void The_steps_of_the_page_are_those_of_the_code()
    {
        var page = Step().Matches(s_page)
            .Select(static step => $"{step.Groups["number"].Value}. {step.Groups["name"].Value}: {step.Groups["method"].Value}")
            .ToList();
        Assert.NotEmpty(page);
        Assert.Equal(page, StepsOfTheCode());
    }

    private static string Uses(string room) => LayeringTests.Allowed[room] is { Length: > 0 } used
        ? string.Join(", ", used.Select(static name => $"`{name}`"))
        : "nothing";

    /// <summary>Each numbered comment, with the method that it stands in.</summary>
    private static IEnumerable<string> StepsOfTheCode() =>
        from file in Source.Texts("src")
        let text = file.Text
        from Match step in StepComment().Matches(text)
        let method = Method().Matches(text[..step.Index])[^1].Groups["name"].Value
        let type = TypeName().Matches(text[..step.Index])[^1].Groups["name"].Value
        let number = int.Parse(step.Groups["number"].Value, provider: null)
        orderby number
        select $"{number}. {step.Groups["name"].Value}: {type}.{method}";

    /// <summary>A comment with the name of a table, and the table if there is one.</summary>
    [GeneratedRegex(@"^<!-- (?<name>\w+) -->\n(?:\|.*\n)*", RegexOptions.Multiline)]
    private static partial Regex Table();

    /// <summary>The room, its purpose, and what it may use.</summary>
    [GeneratedRegex(@"^(?<before>\| `(?<room>\w+)/` \|[^|\n]*\|)[^|\n]*\|$", RegexOptions.Multiline)]
    private static partial Regex Room();

    [GeneratedRegex(@"^(?<number>\d+)\. \*\*(?<name>[\w ]+)\*\* `(?<method>\w+\.\w+)`", RegexOptions.Multiline)]
    private static partial Regex Step();

    [GeneratedRegex(@"^ +// (?<number>\d+)\. (?<name>[A-Z][a-z ]*):", RegexOptions.Multiline)]
    private static partial Regex StepComment();

    [GeneratedRegex(@"^    \w[^\n=]*?\b(?<name>\w+)(?:<\w+>)?\(", RegexOptions.Multiline)]
    private static partial Regex Method();

    [GeneratedRegex(@"^[a-z][^\n]*\bclass (?<name>\w+)", RegexOptions.Multiline)]
    private static partial Regex TypeName();
}
