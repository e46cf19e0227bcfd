using System.Globalization;
using System.Net.Http.Headers;
using System.Text.Json.Nodes;

namespace FastCgi.SampleTests.CrudApi.Moving;

/// <summary>
/// Replays the functional suite of PHP-CRUD-API on SQLite. A case passes if each read has the same records, each write is
/// done or refused, and each error is one: lists have <c>total</c> in place of <c>results</c>, and writes answer with the
/// record. The suite is not part of this repository:
/// <c>FASTCGI_CRUD_SUITE</c> names the folder <c>tests</c> of a copy.
/// </summary>
public sealed partial class ModelSuiteTests(ITestOutputHelper output)
{
    private const string Variable = "FASTCGI_CRUD_SUITE";

    private const string AllowedOrigin = "Access-Control-Allow-Origin";

    /// <summary>Cases of the suite of November 2026 that pass. A change that breaks one fails here.</summary>
    private const int Passed = 85;

    /// <summary>What the suite's own settings, config/base.php, say of tables, columns and origins.</summary>
    private static readonly string[] _settings =
    [
        "--Api:Tables:*", "All",
        "--Api:Tables:invisibles", "None",
        "--Api:Columns:kunsthåndværk:invisible", "Hidden",
        "--Api:Columns:products:properties", "Json",
        "--Api:CorsOrigins:0", "http://example.com",
    ];

    [Fact(Explicit = true)]
    public async Task The_suite_of_the_model_passes_as_far_as_the_page_says()
    {
        var suite = Environment.GetEnvironmentVariable(Variable);
        Assert.False(string.IsNullOrEmpty(suite), $"{Variable} names no copy of the suite.");
        using var directory = new WorkDirectory();
        var fixture = await File.ReadAllTextAsync(Path.Combine(suite!, "fixtures", "blog_sqlite.sql"));
        // The model renames these columns; CrudApi has them as they are.
        await SqliteFile.ExecuteAsync(directory.File("blog.db"), fixture.Replace("abc_", "", StringComparison.Ordinal));
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "CrudApi",
            arguments:
            [
                "--ConnectionStrings:Database", SqliteFile.ConnectionString(directory.File("blog.db")), .. _settings,
            ]);

        var (passed, all) = (0, 0);
        foreach (var file in Directory.EnumerateFiles(
            Path.Combine(suite!, "functional"), "*.log", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            var parts = Separator().Split(await File.ReadAllTextAsync(file));
            if (parts[0].Contains("skip-for-sqlite", StringComparison.Ordinal)
                || parts[0].Contains("skip-always", StringComparison.Ordinal))
            {
                continue;
            }

            List<(bool IsAlike, string Text)> steps = [];
            for (var i = 1; i + 1 < parts.Length; i += 2)
            {
                steps.Add(await TryAsync(site.Client, parts[i], parts[i + 1]));
            }

            all++;
            passed += steps.All(static step => step.IsAlike) ? 1 : 0;
            if (steps.FirstOrDefault(static step => !step.IsAlike) is { Text: { } text })
            {
                output.WriteLine($"{Path.GetFileName(file)}: {text}");
            }
        }

        output.WriteLine($"{passed} of {all} cases pass.");
        Assert.True(passed >= Passed, $"{passed} of {all}");
    }

    private static async Task<(bool IsAlike, string Text)> TryAsync(
        HttpClient client, string asked, string expected)
    {
        var (line, headers, body) = Cut(asked);
        var words = line.Split(' ');
        using var request = new HttpRequestMessage(
            new HttpMethod(words[0]), new Uri(client.BaseAddress!, $"/{words[1].TrimStart('/')}"));
        if (body.Trim().Length > 0)
        {
            request.Content = new StringContent(body.Trim(), Encoding.UTF8);
            var isForm = !body.TrimStart().StartsWith('{') && !body.TrimStart().StartsWith('[');
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(
                isForm ? "application/x-www-form-urlencoded" : "application/json");
        }

        foreach (var header in headers.Where(static header => header.Contains(':', StringComparison.Ordinal)))
        {
            var colon = header.IndexOf(':', StringComparison.Ordinal);
            request.Headers.TryAddWithoutValidation(header[..colon], header[(colon + 1)..].Trim());
        }

        using var response = await client.SendAsync(request).Within(line);
        var text = await response.Content.ReadAsStringAsync().Within("its text");
        var (status, answered, answer) = Cut(expected);
        var isAlike = IsAlike(
            words[0],
            int.Parse(status.Trim(), CultureInfo.InvariantCulture),
            Parse(answer),
            response.StatusCode,
            Parse(text));
        isAlike &= answered.Where(static header => header.StartsWith(AllowedOrigin, StringComparison.Ordinal)).All(
            header => response.Headers.TryGetValues(AllowedOrigin, out var origins)
                && header == $"{AllowedOrigin}: {origins.Single()}");
        return (isAlike, $"{line}: {status.Trim()} {answer.Trim()} / {(int)response.StatusCode} {text}");
    }

    /// <summary>The differences that the table of the page has.</summary>
    private static bool IsAlike(string method, int status, JsonNode? theirs, HttpStatusCode code, JsonNode? ours)
    {
        if (status >= 400 || (int)code >= 400)
        {
            // Problem details in place of their codes.
            return status >= 400 && (int)code >= 400;
        }

        return method switch
        {
            "GET" when theirs is JsonObject list && list["records"] is { } records =>
                JsonNode.DeepEquals(records, ours?["records"]),
            "GET" => JsonNode.DeepEquals(theirs, ours),
            _ => true,
        };
    }

    private static JsonNode? Parse(string text)
    {
        try
        {
            return JsonNode.Parse(text);
        }
        catch (System.Text.Json.JsonException)
        {
            return text.Trim();
        }
    }

    private static (string First, string[] Headers, string Body) Cut(string message)
    {
        message = message.ReplaceLineEndings("\n");
        var end = message.IndexOf("\n\n", StringComparison.Ordinal);
        var lines = (end < 0 ? message.TrimEnd() : message[..end]).Split('\n');
        return (lines[0], lines[1..], end < 0 ? "" : message[(end + 2)..]);
    }

    [GeneratedRegex("^=+(?:\r?\n|$)", RegexOptions.Multiline)]
    private static partial Regex Separator();
}
