using FastCgi.WebServerTests.Equality;
using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>
/// What RFC 9110 and RFC 9112 ask of a server, through a real nginx: our server answers as Kestrel does, save what is
/// listed with its reason, and docs/evidence/rfc.md says so.
/// </summary>
public sealed class RfcTests(RfcTable table) : IClassFixture<RfcTable>
{
    private const int LeastRows = 150;

    internal static IReadOnlyList<Row> Rows { get; } = [.. MessageRows.All, .. SemanticsRows.All];

    public static TheoryData<string> Names => [.. Rows.Select(row => row.Name)];

    [Theory, MemberData(nameof(Names))]
    public Task The_answer_is_no_worse_than_Kestrel_s_and_on_the_page(string name) => table.AssertAlikeAsync(name);

    [Fact]
    public void The_page_has_no_line_of_a_row_that_is_gone()
    {
        Assert.InRange(Rows.Count, LeastRows, int.MaxValue);
        Assert.Distinct(Rows.Select(row => row.Name));
        Assert.Equal(Rows.Count, table.Page.Count(line => line.StartsWith("| 91", StringComparison.Ordinal)));
    }
}

/// <summary>The table of docs/evidence/rfc.md.</summary>
public sealed class RfcTable() : ComparedTable("rfc.md", "rfc.md")
{
    private const int Shown = 90;

    private protected override IReadOnlyList<Row> Rows => RfcTests.Rows;

    private protected override IEnumerable<string> Cells(Row row, int number, Observation fastCgi, Observation kestrel)
    {
        var request = Printable(row.Request.Replace(RfcRow.Host, "", StringComparison.Ordinal))
            .Replace("\\r\\n", "⏎", StringComparison.Ordinal);
        return
        [
            row.Section,
            row.Name[(row.Section.Length + 1)..],
            $"`{(request.Length > Shown ? request[..Shown] + "…" : request)}`",
            Status(fastCgi),
            Status(kestrel),
            fastCgi.Seen is null ? "no" : "yes",
            string.Join(" ", row.Differences.Select(difference => difference.Reason)
                .Append(row.Remark).Where(text => text.Length > 0)),
        ];
    }

    private static string Status(Observation side) => side.Response is { } response ? $"{response.Status}" : "closed";
}
