namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>docs/CONTRIBUTING.md sends a newcomer to tests, files and scripts that are there.</summary>
public sealed partial class ContributingPageTests
{
    private static readonly string s_page = Source.Read("docs/CONTRIBUTING.md");

    [Fact]
    public void Each_test_that_it_names_exists()
    {
        var named = Test().Matches(s_page).Select(static match => (match.Groups[1].Value, match.Groups[2].Value)).ToList();
        Assert.NotEmpty(named);
        Rule.Holds(named.Where(static one => !Source.Texts("tests").Any(
                file => file.Text.Contains($"class {one.Item1}", StringComparison.Ordinal)
                    && file.Text.Contains(one.Item2, StringComparison.Ordinal)))
            .Select(static one => $"{one.Item1}.{one.Item2}"));
    }

    [Fact]
    public void Each_file_that_it_names_exists()
    {
        var named = Place().Matches(s_page).Select(static match => match.Groups[1].Value).ToList();
        Assert.NotEmpty(named);
        Rule.Holds(named.Where(static path =>
            !Path.Exists(Path.Combine(Source.Root, path)) && !path.Contains("/bin/", StringComparison.Ordinal)));
    }

    /// <summary>A rule that nobody named is found by a failing patch.</summary>
    [Fact]
    public void It_names_each_class_of_conventions()
    {
        var here = Directory.GetFiles(Path.Combine(Source.Root, "tests/FastCgi.AspNetCore.Tests/Conventions"), "*Tests.cs")
            .Select(static file => Path.GetFileNameWithoutExtension(file));
        Rule.Holds(here.Except([nameof(ContributingPageTests)])
            .Where(static name => !s_page.Contains($"`{name}", StringComparison.Ordinal)));
    }

    [GeneratedRegex(@"`(\w+Tests)(?:\.(\w+))?`")]
    private static partial Regex Test();

    [GeneratedRegex(@"[ `]((?:src|tests|docs|samples|\.ci)/[\w./-]+)")]
    private static partial Regex Place();
}
