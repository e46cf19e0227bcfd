namespace FastCgi.WebServerTests.Rows;

/// <summary>
/// Runs rows: starts each side when it is first asked, compares what comes of a row with what has to, and writes what
/// came of all of them for people to look at.
/// </summary>
/// <param name="artifact">What the table of the run is written to.</param>
public abstract class RowTable(string artifact) : IAsyncLifetime
{
    private readonly Dictionary<Column, Task<ISide>> _sides = [];
    private readonly Dictionary<(Row Row, Column Column), Observation> _seen = [];

    public virtual ValueTask InitializeAsync() => default;

    public virtual async ValueTask DisposeAsync()
    {
        foreach (var side in _sides.Values.Where(static side => side.IsCompletedSuccessfully))
        {
            await (await side).DisposeAsync();
        }

        if (_seen.Count > 0)
        {
            await File.WriteAllTextAsync(Repository.Artifact(artifact), Write());
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>The column that rows without an outcome of their own are compared with.</summary>
    private protected virtual Column? Oracle => null;

    /// <summary>Differences that every request has which reaches the application.</summary>
    private protected virtual IReadOnlyList<Difference> Standing => [];

    private protected abstract Task<ISide> StartAsync(Column column);

    /// <summary>The table of what was seen.</summary>
    private protected abstract string Write();

    private protected Observation? Seen(Row row, Column column) => _seen.GetValueOrDefault((row, column));

    /// <summary>
    /// Fails when another thing comes of a row than has to, save in what the row lists, and when a listed difference is
    /// none.
    /// </summary>
    internal async Task AssertAsync(Row row, Column column)
    {
        var actual = await ObserveAsync(row, column);
        var expected = row.Expected is null
            ? await ObserveAsync(row, Oracle!)
            : new Observation(row.ExpectedOn(column));
        var standing = actual.Seen is null || expected.Seen is null ? [] : Standing;
        var listed = standing.Concat(row.Differences)
            .Where(difference => difference.Outcome is null && difference.IsAbout(column))
            .SelectMany(static difference => difference.Aspects).ToList();
        var differing = actual.DifferingFrom(expected);
        var right = row.Expected is null ? $"on {Oracle}" : "is right";
        string[] wrong =
        [
            .. differing.Except(listed, StringComparer.OrdinalIgnoreCase).Select(aspect =>
                $"{aspect}: {actual.Shown(aspect)} on {column}, {expected.Shown(aspect)} {right}"),
            .. listed.Except(differing, StringComparer.OrdinalIgnoreCase).Select(aspect =>
                $"{aspect}: listed as different, but {actual.Shown(aspect)} on both"),
        ];
        Assert.True(
            wrong is [],
            $"{string.Join(Environment.NewLine, wrong)}{Environment.NewLine}The row: {Place(row)}{Environment.NewLine}" +
            $"The log:{Environment.NewLine}{(await _sides[column]).Log()}");
    }

    /// <summary>A line of a table in Markdown.</summary>
    private protected static string Line(params IEnumerable<string> cells) => $"| {string.Join(" | ", cells)} |";

    /// <summary>Text as a cell can hold it: in one line, what is not printable escaped.</summary>
    private protected static string Printable(string text) => string.Concat(text.Select(c => c switch
    {
        '\r' => "\\r",
        '\n' => "\\n",
        '\t' => "\\t",
        '|' => "\\|",
        '`' => "'",
        < ' ' or > '~' => $"\\x{(int)c:X2}",
        _ => c.ToString(),
    }));

    /// <summary>Where the row is written: a stack trace ends in the engine.</summary>
    private static string Place(Row row)
    {
        var folder = Path.Combine(Repository.Root, "tests", "FastCgi.WebServerTests");
        var literal = $"\"{row.Name[row.Section.Length..].TrimStart()}\"";
        var places =
            from file in Directory.EnumerateFiles(folder, "*Rows.cs", SearchOption.AllDirectories)
            from line in File.ReadLines(file).Index()
            where line.Item.Contains(literal, StringComparison.Ordinal)
            select $"{Path.GetRelativePath(Repository.Root, file)}:line {line.Index + 1}";
        return string.Join(", ", places.DefaultIfEmpty("put together in one of the files *Rows.cs"));
    }

    private async Task<Observation> ObserveAsync(Row row, Column column)
    {
        if (!_sides.TryGetValue(column, out var side))
        {
            _sides[column] = side = StartAsync(column);
        }

        return _seen[(row, column)] = await row.AskAsync(await side);
    }
}
