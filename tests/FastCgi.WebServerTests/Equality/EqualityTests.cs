namespace FastCgi.WebServerTests.Equality;

/// <summary>
/// An application answers the same on our server as on Kestrel. docs/evidence/kestrel.md lists each difference with its
/// reason.
/// </summary>
public sealed class EqualityTests(EqualityTable table) : IClassFixture<EqualityTable>
{
    private const int LeastRows = 60;

    private static readonly Lazy<HashSet<string>> s_page = new(
        () => [.. File.ReadAllLines(Path.Combine(Repository.Root, "docs", "evidence", "kestrel.md"))]);

    public static TheoryData<string> Names => [.. EqualityRows.All.Select(row => row.Name)];

    [Theory, MemberData(nameof(Names))]
    public async Task The_answer_is_the_same_on_both_servers(string name)
    {
        var row = EqualityRows.Named(name);
        var fastCgi = await table.FastCgi.AnswerAsync(row);
        var kestrel = await table.Kestrel.AnswerAsync(row);
        var line = table.Add(row, fastCgi, kestrel);

        IEnumerable<Difference> standing = fastCgi.Seen is null || kestrel.Seen is null ? [] : Difference.Standing;
        var listed = standing.Concat(row.Differences).SelectMany(difference => difference.Aspects).ToList();
        var differing = fastCgi.DifferingFrom(kestrel);
        var unlisted = differing.Except(listed, StringComparer.OrdinalIgnoreCase)
            .Select(aspect => $"{aspect}: {fastCgi.Shown(aspect)} on FastCGI, {kestrel.Shown(aspect)} on Kestrel");
        var gone = listed.Except(differing, StringComparer.OrdinalIgnoreCase)
            .Select(aspect => $"{aspect}: listed as different, but {fastCgi.Shown(aspect)} on both");
        string[] wrong = [.. unlisted, .. gone];
        Assert.True(wrong is [], string.Join(Environment.NewLine, wrong));
        Assert.True(s_page.Value.Contains(line), $"kestrel.md lacks this line:{Environment.NewLine}{line}");
    }

    [Fact]
    public void The_table_has_rows_enough_and_each_a_name_of_its_own()
    {
        Assert.InRange(EqualityRows.All.Length, LeastRows, int.MaxValue);
        Assert.Distinct(EqualityRows.All.Select(row => row.Name));
    }
}
