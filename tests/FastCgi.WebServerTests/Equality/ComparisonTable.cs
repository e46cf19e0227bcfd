namespace FastCgi.WebServerTests.Equality;

/// <summary>
/// One application on our server and on Kestrel, each behind an nginx, and the lines of a page as this run makes them,
/// written at the end.
/// </summary>
/// <param name="page">In docs/evidence.</param>
/// <param name="artifact">What the lines are written to.</param>
public abstract class ComparisonTable(string page, string artifact) : IAsyncLifetime
{
    private readonly SortedDictionary<int, string> _lines = [];
    private readonly HashSet<string> _page = [.. File.ReadAllLines(Path.Combine(Repository.Root, "docs", "evidence", page))];
    private (EqualityApp App, Site Site)? _fastCgi;
    private (EqualityApp App, Site Site)? _kestrel;

    internal IReadOnlyCollection<string> Page => _page;

    public async ValueTask InitializeAsync()
    {
        _fastCgi = await StartAsync(BackEndKind.FastCgi);
        _kestrel = await StartAsync(BackEndKind.Kestrel);
    }

    public async ValueTask DisposeAsync()
    {
        if (_fastCgi is { } fastCgi)
        {
            await fastCgi.Site.DisposeAsync();
        }

        if (_kestrel is { } kestrel)
        {
            await kestrel.Site.DisposeAsync();
            await File.WriteAllTextAsync(Repository.Artifact(artifact), Write(_lines.Values));
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Both servers answer the same, save what the row lists, and the page says so.</summary>
    /// <param name="row">What to ask.</param>
    /// <param name="number">Its place in the table.</param>
    internal async Task AssertAlikeAsync(EqualityRow row, int number)
    {
        var fastCgi = await AnswerAsync(_fastCgi!.Value, row);
        var kestrel = await AnswerAsync(_kestrel!.Value, row);
        var line = Line(row, number, fastCgi, kestrel);
        _lines.Add(number, line);

        IEnumerable<Difference> standing = fastCgi.Seen is null || kestrel.Seen is null ? [] : Difference.Standing;
        var listed = standing.Concat(row.Differences).SelectMany(difference => difference.Aspects).ToList();
        var differing = fastCgi.DifferingFrom(kestrel);
        var unlisted = differing.Except(listed, StringComparer.OrdinalIgnoreCase)
            .Select(aspect => $"{aspect}: {fastCgi.Shown(aspect)} on FastCGI, {kestrel.Shown(aspect)} on Kestrel");
        var gone = listed.Except(differing, StringComparer.OrdinalIgnoreCase)
            .Select(aspect => $"{aspect}: listed as different, but {fastCgi.Shown(aspect)} on both");
        string[] wrong = [.. unlisted, .. gone];
        Assert.True(wrong is [], string.Join(Environment.NewLine, wrong));
        Assert.True(_page.Contains(line), $"docs/evidence/{page} lacks this line:{Environment.NewLine}{line}");
    }

    private protected abstract string Line(EqualityRow row, int number, Aspects fastCgi, Aspects kestrel);

    private protected virtual string Write(IEnumerable<string> lines) => string.Join('\n', lines);

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

    private static async Task<(EqualityApp App, Site Site)> StartAsync(BackEndKind backEnd)
    {
        var app = new EqualityApp();
        var site = await Site.StartAsync(backEnd, app.Configure, EqualityApp.Build);

        // Some rows make the application fail.
        site.Log.ExpectError(_ => true);
        return (app, site);
    }

    private static async Task<Aspects> AnswerAsync((EqualityApp App, Site Site) side, EqualityRow row)
    {
        var response = await side.Site.TrySendAsync(row.Request);
        return new Aspects(response, side.App.TakeLast());
    }
}
