namespace FastCgi.WebServerTests.Rows;

/// <summary>A side that rows are asked of, as the table names it.</summary>
internal record Column(string Name)
{
    public sealed override string ToString() => Name;
}

/// <summary>The application behind the web server of one column.</summary>
internal interface ISide : IAsyncDisposable
{
    /// <summary>What the web server wrote.</summary>
    string Log();
}

/// <summary>
/// A known difference from what a row says. One that is not listed fails, and so does a listed one that is no more.
/// </summary>
/// <param name="Reason">Why it has to be, in the words of the documentation.</param>
/// <param name="Aspects">What differs: names as <see cref="Observation"/> gives them.</param>
internal sealed record Difference(string Reason, params IReadOnlyList<string> Aspects)
{
    /// <summary>The columns that it is about; null for all but the one that the others are compared with.</summary>
    public IReadOnlyList<Column>? Columns { get; init; }

    /// <summary>What comes of the row there; null where only the page has it.</summary>
    public string? Outcome { get; init; }

    public bool IsAbout(Column column) => Columns?.Contains(column) ?? true;
}

/// <summary>One thing that is asked of every side, and what has to come of it.</summary>
internal sealed record Row(string Name, Func<ISide, Task<Observation>> AskAsync)
{
    /// <summary>What has to come of it; null where that is what comes of it on the oracle's column.</summary>
    public string? Expected { get; private init; }

    public IReadOnlyList<Difference> Differences { get; private init; } = [];

    /// <summary>The request, each character one byte; empty where there are several.</summary>
    public string Request { get; private init; } = "";

    /// <summary>The section of an RFC which has the rule, at the begin of the name.</summary>
    public string Section { get; init; } = "";

    /// <summary>What the page says beside the answer, where there is no difference.</summary>
    public string Remark { get; private init; } = "";

    /// <summary>A raw request, of which everything is compared with what comes of it on another side.</summary>
    public static Row Compared<TSide>(string name, string request, Func<TSide, string, Task<Observation>> ask)
        where TSide : ISide =>
        new(name, side => ask((TSide)side, request)) { Request = request };

    /// <summary>Something of which one outcome is told in a few words.</summary>
    public static Row Told<TSide>(string name, Func<TSide, Task<string>> ask, string expected)
        where TSide : ISide =>
        new(name, async side => new Observation(await ask((TSide)side))) { Expected = expected };

    /// <summary>Request line, header lines and body.</summary>
    public static string RequestOf(string line, IEnumerable<string> headers, string body = "") =>
        $"{string.Join("\r\n", [line, .. headers])}\r\n\r\n{body}";

    /// <summary>This row with aspects that differ, and why that is right.</summary>
    public Row But(string reason, params IReadOnlyList<string> aspects) => But(new Difference(reason, aspects));

    /// <summary>This row with an outcome of its own on these columns, and why that is right.</summary>
    public Row But(IReadOnlyList<Column> columns, string outcome, string reason) =>
        But(new Difference(reason, Observation.Told) { Columns = columns, Outcome = outcome });

    /// <summary>This row with a remark for the page.</summary>
    public Row Note(string remark) => this with { Remark = remark };

    public Difference? DifferenceOn(Column column) =>
        Differences.SingleOrDefault(difference => difference.IsAbout(column));

    /// <summary>The outcome that is right on this column.</summary>
    public string ExpectedOn(Column column) => DifferenceOn(column)?.Outcome ?? Expected!;

    private Row But(Difference difference) => this with { Differences = [.. Differences, difference] };
}
