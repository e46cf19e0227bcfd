namespace FastCgi.WebServerTests.Matrix;

/// <summary>
/// The same application behind every web server, configured by samples/web-servers: each row comes to the same
/// everywhere, save what is listed with its reason.
/// </summary>
public sealed class MatrixTests(MatrixTable table) : IClassFixture<MatrixTable>
{
    private const int LeastRows = 40;

    public static MatrixTheoryData<string, string> Cells => new(
        MatrixColumns.All.Select(static column => column.Name), MatrixRows.All.Select(static row => row.Name));

    [Theory, MemberData(nameof(Cells))]
    public async Task A_row_comes_to_what_it_says_or_to_the_listed_difference(string column, string row)
    {
        var (webServer, asked) = (MatrixColumns.Named(column), MatrixRows.Named(row));
        var (outcome, log) = await table.AskAsync(asked, webServer);
        Assert.True(
            outcome == asked.ExpectedOn(webServer),
            $"'{outcome}', not '{asked.ExpectedOn(webServer)}'. The log:{Environment.NewLine}{log}");
    }

    [Fact]
    public void The_table_has_rows_enough_and_each_a_name_of_its_own()
    {
        Assert.InRange(MatrixRows.All.Length, LeastRows, int.MaxValue);
        Assert.Distinct(MatrixRows.All.Select(row => row.Name));
        Assert.Distinct(MatrixColumns.All.Select(column => column.Name));
    }

    /// <summary>What the run comes to when no cell fails.</summary>
    [Fact]
    public void The_published_table_is_the_one_of_the_rows() =>
        MatrixPage.AssertPublished(MatrixPage.Write(static (row, column) => row.ExpectedOn(column)));

    [Fact]
    public void A_listed_difference_differs_from_its_row() => Assert.DoesNotContain(
        MatrixRows.All, static row => row.Differences.Any(difference => difference.Outcome == row.Expected));
}
