using System.Collections.Immutable;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>
/// What RFC 9110 and RFC 9112 ask of a server, through a real nginx: our server answers as Kestrel does, save what is
/// listed with its reason, and docs/evidence/rfc.md says so.
/// </summary>
public sealed class RfcTests(RfcTable table) : IClassFixture<RfcTable>
{
    private const int LeastRows = 150;

    private static readonly ImmutableArray<RfcRow> s_rows = [.. MessageRows.All, .. SemanticsRows.All];

    public static TheoryData<string> Names => [.. s_rows.Select(row => row.Name)];

    [Theory, MemberData(nameof(Names))]
    public Task The_answer_is_no_worse_than_Kestrel_s_and_on_the_page(string name)
    {
        var row = s_rows.Single(row => row.Name == name);
        return table.AssertAlikeAsync(row, s_rows.IndexOf(row));
    }

    [Fact]
    public void The_page_has_no_line_of_a_row_that_is_gone()
    {
        Assert.InRange(s_rows.Length, LeastRows, int.MaxValue);
        Assert.Distinct(s_rows.Select(row => row.Name));
        Assert.Equal(s_rows.Length, table.Page.Count(line => line.StartsWith("| 91", StringComparison.Ordinal)));
    }
}
