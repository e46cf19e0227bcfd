using System.Text.RegularExpressions;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>docs/kestrel-response-cases.md names tests; each of them exists.</summary>
public sealed partial class KestrelCasesTests
{
    private const string Page = "docs/kestrel-response-cases.md";

    [Fact]
    public void Every_named_test_exists()
    {
        var page = File.ReadAllText(Path.Combine(Source.Root, Page));
        var named = Named().Matches(page).Select(static name => name.Groups[1].Value).ToHashSet();
        Assert.True(named.Count > 60, $"{Page} names {named.Count} tests only.");
        Assert.Empty(named.Except(Tests()));
    }

    /// <summary>A row without a test says why.</summary>
    [Fact]
    public void Every_row_has_a_test_or_a_reason() => Assert.All(
        Row().Matches(File.ReadAllText(Path.Combine(Source.Root, Page))),
        static row => Assert.NotEmpty(row.Groups["right"].Value.Trim()));

    private static IEnumerable<string> Tests() =>
        from path in Source.Files("tests")
        let text = File.ReadAllText(path)
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
