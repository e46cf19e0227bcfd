namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>Pages list the cases of other people's tests and name tests of ours; each of those exists.</summary>
public sealed partial class CaseTableTests
{
    private const string KestrelPage = "docs/evidence/kestrel-response-cases.md";
    private const string ConnectionPage = "docs/evidence/kestrel-connection-cases.md";
    private const string HandlerPage = "docs/evidence/http-handler-cases.md";

    public static TheoryData<string> Pages => [KestrelPage, ConnectionPage, HandlerPage];

    [Theory, MemberData(nameof(Pages))]
    public void Every_named_test_exists(string page)
    {
        var named = Named().Matches(Source.Read(page)).Select(static name => name.Groups[1].Value).ToHashSet();
        Assert.True(named.Count > 60, $"{page} names {named.Count} tests only.");
        Assert.Empty(named.Except(Tests()));
    }

    /// <summary>A row without a test says why.</summary>
    [Theory, MemberData(nameof(Pages))]
    public void Every_row_has_a_test_or_a_reason(string page)
    {
        var rows = Row().Matches(Source.Read(page));
        Assert.NotEmpty(rows);
        Assert.All(rows, static row => Assert.NotEmpty(row.Groups["right"].Value.Trim()));
    }

    [Fact]
    public void The_cases_of_handlers_are_counted_and_each_stands_once()
    {
        string text = Source.Read(HandlerPage);
        string rows = text[text.IndexOf("\n## ", StringComparison.Ordinal)..
            text.IndexOf("\n## Files without a row", StringComparison.Ordinal)];
        var cases = new Dictionary<string, string>();
        foreach (Match row in Row().Matches(rows).Where(static row => !row.Value.Contains("---", StringComparison.Ordinal)))
        {
            string right = row.Groups["right"].Value.Trim();
            if (right == "shown by")
            {
                continue;
            }

            string kind = right.StartsWith("Does not apply: ", StringComparison.Ordinal) ? "does not apply"
                : right.Contains("Differs: ", StringComparison.Ordinal) ? "differs" : "the same";
            Assert.True(kind == "does not apply" || Named().IsMatch(right), $"A row has neither a test nor a reason: {row.Value}");
            foreach (string name in row.Groups["left"].Value.Split(',', StringSplitOptions.TrimEntries))
            {
                Assert.Matches("^[A-Z][A-Za-z0-9]+(_[A-Za-z0-9]+)*$", name);
                Assert.True(cases.TryAdd(name, kind), $"{name} stands twice.");
            }
        }

        foreach (string kind in (string[])["the same", "differs", "does not apply"])
        {
            int count = cases.Values.Count(value => value == kind);
            Assert.Matches($@"(?m)^\| {kind}[^|]*\| {count} \|$", text);
        }
    }

    private static IEnumerable<string> Tests() =>
        from file in Source.Texts("tests")
        let text = file.Text
        from Match test in Test().Matches(text)
        let types = Class().Matches(text[..test.Index])
        where types.Count > 0
        select $"{types[^1].Groups[1].Value}.{test.Groups[1].Value}";

    [GeneratedRegex(@"`(\w+Tests\.\w+)`")]
    private static partial Regex Named();

    [GeneratedRegex(@"^\| (?<left>[^|]+) \|(?<right>[^|]*)\|$", RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"\[(?:Fact|Theory)[^\n]*\n(?:\s*\[[^\n]*\n)*\s*public (?:async )?(?:Task|void) (\w+)\(")]
    private static partial Regex Test();

    [GeneratedRegex(@"\bclass (\w+)")]
    private static partial Regex Class();
}
