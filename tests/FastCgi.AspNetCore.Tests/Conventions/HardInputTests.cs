namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>docs/evidence/hard-inputs.md names the tests of every row, as their <c>[HardInput]</c> tells.</summary>
public sealed partial class HardInputTests
{
    private const string Page = "docs/evidence/hard-inputs.md";

    private static readonly ILookup<string, string> s_tests = TestsByRow();

    [Fact]
    public void The_page_names_the_tests_of_every_row()
    {
        var current = Row().Replace(
            Source.Read(Page),
            static row => $"{row.Groups["before"].Value} {string.Join("<br>", Tests(row.Groups["id"].Value))} |");
        Source.AssertUpToDate(Page, current);
    }

    [Fact]
    public void Every_row_has_a_test_and_every_test_a_row() => Assert.Equal(
        Rows().Order(StringComparer.Ordinal), s_tests.Select(static row => row.Key).Order(StringComparer.Ordinal));

    /// <summary>A row that was removed leaves a gap in the numbers of its letter.</summary>
    [Fact]
    public void No_row_is_missing() => Assert.All(
        Rows().GroupBy(static row => row[0], static row => int.Parse(row[1..], provider: null)),
        static letter => Assert.Equal(Enumerable.Range(1, letter.Count()), letter));

    [Fact]
    public void Only_tests_have_the_attribute() => Rule.Holds(
        from file in Source.Texts("tests")
        where Path.GetFileName(file.Path) != $"{nameof(HardInputTests)}.cs"
            && file.Text.Split("[HardInput(").Length - 1 != Test().Count(file.Text)
        select $"{file.Path}: [HardInput] must be the last attribute of a public test");

    private static IEnumerable<string> Rows() =>
        Row().Matches(Source.Read(Page)).Select(static row => row.Groups["id"].Value);

    private static IEnumerable<string> Tests(string row) =>
        s_tests[row].Distinct().Order(StringComparer.Ordinal).Select(static test => $"`{test}`");

    private static ILookup<string, string> TestsByRow() => (
        from file in Source.Texts("tests")
        let text = file.Text
        from Match test in Test().Matches(text)
        from Match row in Quoted().Matches(test.Groups["rows"].Value)
        let type = Class().Matches(text[..test.Index])[^1].Groups[1].Value
        select (Row: row.Groups[1].Value, Name: $"{type}.{test.Groups["name"].Value}"))
        .ToLookup(static test => test.Row, static test => test.Name);

    /// <summary>A row of the first table: the id, two columns of words, the tests.</summary>
    [GeneratedRegex(@"^(?<before>\| (?<id>[A-Z]\d+) \|.*\|)(?: (?:`\w+\.\w+`(?:<br>)?)*)? \|$", RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"\[HardInput\((?<rows>[^)]*)\)\]\s*public (?:async )?(?:Task|void) (?<name>\w+)\(")]
    private static partial Regex Test();

    [GeneratedRegex(@"""(\w+)""")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"\bclass (\w+)")]
    private static partial Regex Class();
}
