using System.Collections.Immutable;

namespace FastCgi.WebServerTests.Equality;

/// <summary>
/// An application answers the same on our server as on Kestrel. docs/evidence/kestrel.md lists each difference with its
/// reason.
/// </summary>
public sealed class EqualityTests(EqualityTable table) : IClassFixture<EqualityTable>
{
    private const int LeastRows = 60;

    private static readonly ImmutableArray<EqualityRow> s_rows =
        [.. TargetRows.All, .. HeaderRows.All, .. BodyRows.All, .. ResponseRows.All];

    public static TheoryData<string> Names => [.. s_rows.Select(row => row.Name)];

    [Theory, MemberData(nameof(Names))]
    public Task The_answer_is_the_same_on_both_servers(string name)
    {
        var row = s_rows.Single(row => row.Name == name);
        return table.AssertAlikeAsync(row, s_rows.IndexOf(row) + 1);
    }

    [Fact]
    public void The_table_has_rows_enough_and_each_a_name_of_its_own()
    {
        Assert.InRange(s_rows.Length, LeastRows, int.MaxValue);
        Assert.Distinct(s_rows.Select(row => row.Name));
    }
}
