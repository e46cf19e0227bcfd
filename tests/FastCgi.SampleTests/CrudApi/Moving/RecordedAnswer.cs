using System.Text.Json.Nodes;

namespace FastCgi.SampleTests.CrudApi.Moving;

/// <summary>A request, and what PHP-CRUD-API 2.16.2 on SQLite answered to it over the tables of blog.sql.</summary>
/// <param name="After">The records of the table after a request that writes.</param>
public sealed record RecordedAnswer(
    string Method, string Target, JsonNode? Body, int Status, JsonNode? Answer, JsonArray? After)
{
    private static string Folder =>
        Path.Combine(Repository.Root, "tests", "FastCgi.SampleTests", "CrudApi", "Moving");

    /// <summary>The script of the tables; each request that writes found them new.</summary>
    public static string Script => File.ReadAllText(Path.Combine(Folder, "blog.sql"));

    public static IReadOnlyList<RecordedAnswer> All { get; } = JsonSerializer.Deserialize<RecordedAnswer[]>(
        File.ReadAllText(Path.Combine(Folder, "answers.json")), JsonSerializerOptions.Web)!;

    public bool IsRead => Method == "GET";

    /// <summary><c>/records/posts</c> of <c>/records/posts/1?include=id</c></summary>
    public string List => string.Join('/', Target.Split('?')[0].Split('/').Take(3));

    public string Text => Body is null ? $"{Method} {Target}" : $"{Method} {Target} {Body.ToJsonString()}";
}
