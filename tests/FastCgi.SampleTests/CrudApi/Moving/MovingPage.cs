using System.Globalization;
using System.Text.Json.Nodes;

namespace FastCgi.SampleTests.CrudApi.Moving;

/// <summary>The table of samples/CrudApi/php-crud-api.md.</summary>
internal sealed class MovingPage
{
    private const string Accept = "FASTCGI_ACCEPT_MOVING";
    private const string Begin = "<!-- The table of the test run begins here. -->\n";
    private const string End = "<!-- The table of the test run ends here. -->\n";

    /// <summary>Why the records are not the same, by the beginning of the request.</summary>
    private static readonly (string Request, string Reason)[] _reasons =
    [
        ("POST /records/posts {\"title\":\"New\",\"content\":\"A new post.\",\"created\":\"2018-03-06T21:34:01Z\"}",
            "The column has no time zone: a time with `Z` is refused here, and stored there as the text it is."),
        ("PATCH /records/posts/1 {\"title\":5}",
            "PATCH adds to numbers. Other columns are refused here; there they may become a number."),
        ("PATCH /records/posts/1 {\"visits\":{", "`{\"increment\":1}` adds here below every path."),
    ];

    private readonly StringBuilder _rows = new(
        "| request | PHP-CRUD-API | here | records |\n| --- | --- | --- | --- |\n");

    private readonly List<string> _notes = [];

    private static string File => Path.Combine(Repository.Root, "samples", "CrudApi", "php-crud-api.md");

    /// <param name="after">The records of the table after a request that writes.</param>
    public void Add(RecordedAnswer theirs, int status, JsonNode? answer, JsonNode? after)
    {
        var records = theirs switch
        {
            { Status: >= 400, IsRead: true } => status == theirs.Status ? "none" : Failed,
            { IsRead: true } => Compare(theirs, Records(theirs.Answer), Records(answer)),
            _ => Compare(theirs, theirs.After, after),
        };
        _rows.Append(CultureInfo.InvariantCulture, $"| `{theirs.Text}` | {Describe(theirs.Status, theirs.Answer)} ")
            .Append(CultureInfo.InvariantCulture, $"| {Describe(status, answer)} | {records} |\n");
    }

    private const string Failed = "**others**";

    /// <summary>Fails when the page shows another table.</summary>
    public void AssertPublished()
    {
        var notes = _notes.Select((note, i) => string.Create(CultureInfo.InvariantCulture, $"{i + 1}. {note}"));
        var table = $"{_rows}\n{string.Join('\n', notes)}";
        var page = System.IO.File.ReadAllText(File);
        var start = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        var end = page.IndexOf(End, StringComparison.Ordinal);
        Assert.True(start >= Begin.Length && end >= start, "php-crud-api.md has no place for the table.");
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            page = $"{page[..start]}\n{table}\n\n{page[end..]}";
            end = page.IndexOf(End, StringComparison.Ordinal);
            System.IO.File.WriteAllText(File, page);
        }

        Assert.True(
            page[start..end].Trim() == table.Trim(),
            "samples/CrudApi/php-crud-api.md has another table than the test. "
            + $"If that is meant, run this test with {Accept}=1 in the environment and commit the file.\n{table}");
        Assert.DoesNotContain(Failed, table, StringComparison.Ordinal);
    }

    private string Compare(RecordedAnswer request, JsonNode? theirs, JsonNode? ours)
    {
        if (JsonNode.DeepEquals(theirs, ours))
        {
            return "same";
        }

        var reason = _reasons.FirstOrDefault(each => request.Text.StartsWith(each.Request, StringComparison.Ordinal));
        if (reason.Reason is not { } text)
        {
            return Failed;
        }

        if (!_notes.Contains(text))
        {
            _notes.Add(text);
        }

        return string.Create(CultureInfo.InvariantCulture, $"others ({_notes.IndexOf(text) + 1})");
    }

    private static JsonNode? Records(JsonNode? answer) =>
        answer is JsonObject list && list["records"] is { } records ? records : answer;

    /// <summary>The status, and what an answer has beside records.</summary>
    private static string Describe(int status, JsonNode? answer)
    {
        string[] parts = answer switch
        {
            JsonObject problem when status >= 400 =>
                [problem.ContainsKey("detail") ? "problem details" : "code and message"],
            JsonObject list when list.ContainsKey("records") =>
                [.. list.Select(member => member.Key).Where(name => name != "records").Select(name => $"`{name}`")],
            JsonObject => ["record"],
            JsonArray array when array.All(each => each is JsonObject) => ["records"],
            null => [],
            _ => [$"`{answer.ToJsonString()}`"],
        };
        return string.Join(", ", parts.Prepend(status.ToString(CultureInfo.InvariantCulture)));
    }
}
