using System.Globalization;
using System.Text;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>The table as a page shows it.</summary>
internal static class MatrixPage
{
    private const string Accept = "FASTCGI_ACCEPT_MATRIX";
    private const string Begin = "<!-- The table of the test run begins here. -->\n";
    private const string End = "<!-- The table of the test run ends here. -->\n";

    private static string Page => Path.Combine(Repository.Root, "docs", "evidence", "web-servers-table.md");

    /// <summary>Fails when the documentation shows another table.</summary>
    public static void AssertPublished(string table)
    {
        var page = File.ReadAllText(Page);
        var start = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        var end = page.IndexOf(End, StringComparison.Ordinal);
        Assert.True(start >= Begin.Length && end >= start, "web-servers-table.md has no place for the table.");
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            page = $"{page[..start]}\n{table}\n{page[end..]}";
            end = page.IndexOf(End, StringComparison.Ordinal);
            File.WriteAllText(Page, page);
        }

        Assert.True(
            page[start..end].Trim() == table.Trim(),
            "docs/evidence/web-servers-table.md has another table than the tests. "
            + $"If that is meant, run this test with {Accept}=1 in the environment and commit the file.");
    }

    /// <param name="outcome">What came of a cell; null when it was not asked.</param>
    public static string Write(Func<MatrixRow, MatrixColumn, string?> outcome)
    {
        List<MatrixDifference> notes = [];
        var text = new StringBuilder()
            .Append("| |").AppendJoin('|', MatrixColumns.All.Select(static column => $" {column.Name} ")).AppendLine("|")
            .Append("| --- |").AppendJoin('|', MatrixColumns.All.Select(static _ => " --- ")).AppendLine("|");
        foreach (var row in MatrixRows.All)
        {
            text.Append("| ").Append(row.Name).Append(" |")
                .AppendJoin('|', MatrixColumns.All.Select(column => $" {Cell(row, column)} ")).AppendLine("|");
        }

        text.AppendLine();
        for (var i = 0; i < notes.Count; i++)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"{i + 1}. {notes[i].Reason} In the test: `{notes[i].Outcome.Trim()}`.");
        }

        return text.ToString();

        string Cell(MatrixRow row, MatrixColumn column)
        {
            var actual = outcome(row, column);
            if (actual is null)
            {
                return "not asked";
            }

            if (actual == row.Expected)
            {
                return "yes";
            }

            var difference = row.Differences.FirstOrDefault(
                known => known.Columns.Contains(column) && known.Outcome == actual);
            if (difference is null)
            {
                return "**failed**";
            }

            var note = notes.FindIndex(other => (other.Reason, other.Outcome) == (difference.Reason, difference.Outcome));
            if (note < 0)
            {
                note = notes.Count;
                notes.Add(difference);
            }

            return $"({note + 1})";
        }
    }
}
