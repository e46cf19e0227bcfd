namespace FastCgi.Benchmarks.Bars;

/// <summary>A table of a page, as a report wrote it: names in the first column, figures in the others.</summary>
internal sealed class MarkdownTable
{
    private readonly string[] _columns;
    private readonly string[][] _rows;

    private MarkdownTable(string[] columns, string[][] rows)
    {
        _columns = columns;
        _rows = rows;
    }

    /// <summary>The names of the rows that have a figure in the column.</summary>
    public IEnumerable<string> RowsWith(string column) =>
        _rows.Where(row => row[Index(column)] != "-").Select(static row => row[0]);

    /// <exception cref="InvalidOperationException">There is no such row or column, or no figure.</exception>
    public double Figure(string row, string column)
    {
        string[] cells = Array.Find(_rows, cells => cells[0] == row)
            ?? throw new InvalidOperationException($"The table has no row '{row}'.");
        return double.TryParse(cells[Index(column)], CultureInfo.InvariantCulture, out double figure)
            ? figure
            : throw new InvalidOperationException($"'{cells[Index(column)]}' of '{row}' is no figure.");
    }

    /// <summary>The first table below the heading.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static MarkdownTable Read(string page, string heading)
    {
        string[][] lines = [.. File.ReadLines(page)
            .SkipWhile(line => line.TrimStart('#').Trim() != heading)
            .SkipWhile(static line => !line.StartsWith('|'))
            .TakeWhile(static line => line.StartsWith('|'))
            .Select(static line => line.Trim('|', ' ').Split('|', StringSplitOptions.TrimEntries))];
        return lines.Length > 2
            ? new MarkdownTable(lines[0], lines[2..])
            : throw new InvalidOperationException($"{page} has no table below '{heading}'.");
    }

    private int Index(string column) => Array.IndexOf(_columns, column) is >= 0 and var index
        ? index
        : throw new InvalidOperationException($"The table has no column '{column}'.");
}
