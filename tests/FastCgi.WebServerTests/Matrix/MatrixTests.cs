using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>
/// The same application behind every web server, configured by samples/web-servers: each row comes to the same
/// everywhere, save what is listed with its reason.
/// </summary>
public sealed class MatrixTests(MatrixTable table) : IClassFixture<MatrixTable>
{
    private const int LeastRows = 40;

    /// <summary>In the order of the table.</summary>
    internal static IReadOnlyList<Row> Rows { get; } =
    [
        .. TargetRows.All, .. HeaderRows.All, .. BodyRows.All, .. ResponseRows.All, .. ConnectionRows.All,
        .. MountRows.All, .. EncryptionRows.All,
    ];

    public static MatrixTheoryData<string, string> Cells => new(
        MatrixColumns.All.Select(static column => column.Name), Rows.Select(static row => row.Name));

    internal static Row Named(string name) => Rows.Single(row => row.Name == name);

    [Theory, MemberData(nameof(Cells))]
    public Task A_row_comes_to_what_it_says_or_to_the_listed_difference(string column, string row) =>
        table.AssertAsync(Named(row), MatrixColumns.Named(column));

    [Fact]
    public void The_table_has_rows_enough_and_each_a_name_of_its_own()
    {
        Assert.InRange(Rows.Count, LeastRows, int.MaxValue);
        Assert.Distinct(Rows.Select(row => row.Name));
        Assert.Distinct(MatrixColumns.All.Select(column => column.Name));
    }

    /// <summary>What the run comes to when no cell fails.</summary>
    [Fact]
    public void The_published_table_is_the_one_of_the_rows() =>
        new EvidencePage("web-servers-table.md", "FASTCGI_ACCEPT_MATRIX").AssertHas(
            MatrixTable.Write(static (row, column) => row.ExpectedOn(column)));

    [Fact]
    public void A_listed_difference_differs_from_its_row() => Assert.DoesNotContain(
        Rows, static row => row.Differences.Any(difference => difference.Outcome == row.Expected));
}

/// <summary>The table of docs/evidence/web-servers-table.md.</summary>
public sealed class MatrixTable() : RowTable(Path.Combine("tests", "web-server-matrix.md"))
{
    private MatrixApps? _apps;

    public override async ValueTask InitializeAsync() => _apps = await MatrixApps.StartAsync();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        if (_apps is not null)
        {
            await _apps.DisposeAsync();
        }
    }

    private protected override async Task<ISide> StartAsync(Column column) =>
        await MatrixSite.StartAsync(_apps!, (MatrixColumn)column);

    private protected override string Write() => Write((row, column) => Seen(row, column)?.Outcome);

    /// <param name="outcome">What came of a cell; null when it was not asked.</param>
    internal static string Write(Func<Row, Column, string?> outcome)
    {
        List<Difference> notes = [];
        IEnumerable<string> lines =
        [
            $"| {Line(MatrixColumns.All.Select(static column => column.Name))}",
            Line(["---", .. MatrixColumns.All.Select(static _ => "---")]),
            .. MatrixTests.Rows.Select(row =>
                Line([row.Name, .. MatrixColumns.All.Select(column => Cell(row, column))])),
        ];
        var table = string.Join('\n', lines);
        return $"{table}\n\n" + string.Concat(notes.Select(static (note, i) =>
            $"{i + 1}. {note.Reason} In the test: `{note.Outcome!.Trim()}`.\n"));

        string Cell(Row row, Column column)
        {
            var actual = outcome(row, column);
            if (actual is null || actual == row.Expected)
            {
                return actual is null ? "not asked" : "yes";
            }

            var difference = row.Differences.FirstOrDefault(known => known.IsAbout(column) && known.Outcome == actual);
            if (difference is null)
            {
                return "**failed**";
            }

            var note = notes.FindIndex(other =>
                (other.Reason, other.Outcome) == (difference.Reason, difference.Outcome));
            if (note < 0)
            {
                note = notes.Count;
                notes.Add(difference);
            }

            return $"({note + 1})";
        }
    }
}
