using System.Text.RegularExpressions;
using FastCgi.AspNetCore.Tests.Conventions;

namespace FastCgi.Testing.Tests.Documentation;

/// <summary>Every example of docs/testing.md is in this folder, line by line, so it compiles and runs.</summary>
public sealed partial class PageTests
{
    public static TheoryData<string> Examples => [.. Example()
        .Matches(File.ReadAllText(Path.Combine(Source.Root, "docs/testing.md")))
        .Select(static match => match.Groups[1].Value)];

    [Theory]
    [MemberData(nameof(Examples))]
    public void An_example_of_the_page_is_a_test_here(string example)
    {
        var tests = Source.Files("tests/FastCgi.Testing.Tests/Documentation").Select(File.ReadAllText);

        Assert.Contains(tests, test => Trimmed(test).Contains(Trimmed(example), StringComparison.Ordinal));
    }

    [Fact]
    public void The_page_has_examples() => Assert.NotEmpty(Examples);

    private static string Trimmed(string text) =>
        string.Join('\n', text.Split('\n').Select(static line => line.Trim()));

    [GeneratedRegex("^```csharp\n(.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Example();
}
