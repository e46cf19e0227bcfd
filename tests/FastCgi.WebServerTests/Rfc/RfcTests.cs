using FastCgi.WebServerTests.Equality;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>
/// What RFC 9110 and RFC 9112 ask of a server, through a real nginx: our server answers as Kestrel does, save what is
/// listed with its reason, and docs/evidence/rfc.md says so.
/// </summary>
public sealed class RfcTests(RfcTable table) : IClassFixture<RfcTable>
{
    private const int LeastRows = 150;

    private static readonly Lazy<HashSet<string>> s_page = new(
        () => [.. File.ReadAllLines(Path.Combine(Repository.Root, "docs", "evidence", "rfc.md"))]);

    public static TheoryData<string> Names => [.. RfcRows.All.Select(row => row.Exchange.Name)];

    [Theory, MemberData(nameof(Names))]
    public async Task The_answer_is_no_worse_than_Kestrel_s_and_on_the_page(string name)
    {
        var row = RfcRows.Named(name);
        var fastCgi = await table.FastCgi.AnswerAsync(row.Exchange);
        var kestrel = await table.Kestrel.AnswerAsync(row.Exchange);
        var line = table.Add(row, fastCgi, kestrel);

        string[] wrong = [.. Wrong(row.Exchange, fastCgi, kestrel)];
        Assert.True(wrong is [], string.Join(Environment.NewLine, wrong));
        Assert.True(s_page.Value.Contains(line), $"docs/evidence/rfc.md lacks this line:{Environment.NewLine}{line}");
    }

    [Fact]
    public void The_page_has_no_line_of_a_row_that_is_gone()
    {
        Assert.InRange(RfcRows.All.Length, LeastRows, int.MaxValue);
        Assert.Distinct(RfcRows.All.Select(row => row.Exchange.Name));
        var rows = s_page.Value.Where(line => line.StartsWith("| 91", StringComparison.Ordinal));
        Assert.Equal(RfcRows.All.Length, rows.Count());
    }

    private static IEnumerable<string> Wrong(EqualityRow row, Aspects fastCgi, Aspects kestrel)
    {
        IEnumerable<Difference> standing = fastCgi.Seen is null || kestrel.Seen is null ? [] : Difference.Standing;
        var listed = standing.Concat(row.Differences).SelectMany(difference => difference.Aspects).ToList();
        var differing = fastCgi.DifferingFrom(kestrel);
        return differing.Except(listed, StringComparer.OrdinalIgnoreCase)
            .Select(aspect => $"{aspect}: {fastCgi.Shown(aspect)} on FastCGI, {kestrel.Shown(aspect)} on Kestrel")
            .Concat(listed.Except(differing, StringComparer.OrdinalIgnoreCase)
                .Select(aspect => $"{aspect}: listed as different, but {fastCgi.Shown(aspect)} on both"));
    }
}
