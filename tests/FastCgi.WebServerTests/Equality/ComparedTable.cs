using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Equality;

/// <summary>
/// One application on our server and on Kestrel, each behind an nginx, and the lines of a page of docs/evidence as this
/// run makes them.
/// </summary>
public abstract class ComparedTable(string page, string artifact) : RowTable(artifact)
{
    private static readonly Column s_fastCgi = new("FastCGI");
    private static readonly Column s_kestrel = new("Kestrel");

    private readonly HashSet<string> _page =
        [.. File.ReadAllLines(Path.Combine(Repository.Root, "docs", "evidence", page))];

    internal IReadOnlyCollection<string> Page => _page;

    internal static IReadOnlyList<Difference> EveryRequest { get; } =
    [
        new("REMOTE_PORT tells it; X-Forwarded-For does not.", "seen client port"),
        new(
            "The forwarded headers middleware leaves it behind; FastCGI needs no such middleware.",
            "seen header X-Original-Proto"),
    ];

    private protected override Column Oracle => s_kestrel;

    private protected override IReadOnlyList<Difference> Standing => EveryRequest;

    private protected abstract IReadOnlyList<Row> Rows { get; }

    /// <summary>Both servers answer the same, save what the row lists, and the page says so.</summary>
    internal async Task AssertAlikeAsync(string name)
    {
        var row = Rows.Single(row => row.Name == name);
        await AssertAsync(row, s_fastCgi);
        var line = LineOf(row);
        Assert.True(_page.Contains(line), $"docs/evidence/{page} lacks this line:{Environment.NewLine}{line}");
    }

    private protected abstract IEnumerable<string> Cells(Row row, int number, Observation fastCgi, Observation kestrel);

    private protected override string Write() =>
        string.Join('\n', Rows.Where(row => Seen(row, s_kestrel) is not null).Select(LineOf));

    private protected override async Task<ISide> StartAsync(Column column) =>
        await EqualitySide.StartAsync(column == s_kestrel ? BackEndKind.Kestrel : BackEndKind.FastCgi);

    private string LineOf(Row row) => Line(Cells(
        row, Rows.TakeWhile(other => other != row).Count() + 1, Seen(row, s_fastCgi)!, Seen(row, s_kestrel)!));
}

/// <summary>The application on one of the servers behind nginx.</summary>
internal sealed class EqualitySide(EqualityApp app, Site site) : ISide
{
    /// <summary>The event of either server.</summary>
    private const int ApplicationError = 13;

    public static async Task<EqualitySide> StartAsync(BackEndKind backEnd)
    {
        var app = new EqualityApp();
        var site = await Site.StartAsync(backEnd, app.Configure, EqualityApp.Build);

        // Some rows make the application fail.
        site.Log.ExpectError(entry => entry.EventId.Id == ApplicationError
            ? IsOfRow(entry.Exception, backEnd)
            : entry.Category.Contains("HealthCheck", StringComparison.Ordinal)
                || entry.Category.Contains("ExceptionHandler", StringComparison.Ordinal));
        return new EqualitySide(app, site);
    }

    public async Task<Observation> ObserveAsync(string request) =>
        new(await site.TrySendAsync(request), app.TakeLast());

    public string Log() => site.WebServer.ErrorLog.ToString();

    public ValueTask DisposeAsync() => site.DisposeAsync();

    private static bool IsOfRow(Exception? exception, BackEndKind backEnd) => exception switch
    {
        InvalidOperationException => true,

        // A body that is too long, which is no error of the application in our log.
        BadHttpRequestException => backEnd == BackEndKind.Kestrel,

        // The reader of a form that breaks off.
        IOException => exception.Message.StartsWith("Unexpected end of Stream", StringComparison.Ordinal),
        _ => false,
    };
}
