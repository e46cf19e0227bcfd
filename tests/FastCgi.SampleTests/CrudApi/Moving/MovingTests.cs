using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;

namespace FastCgi.SampleTests.CrudApi.Moving;

/// <summary>
/// Sends the queries of PHP-CRUD-API's documentation to the sample, and compares with its recorded answers.
/// </summary>
public sealed class MovingTests
{
    [Fact]
    public async Task The_page_says_which_queries_of_PHP_CRUD_API_get_the_same_records()
    {
        var page = new MovingPage();
        await using var read = await Site.StartAsync();
        foreach (var theirs in RecordedAnswer.All)
        {
            if (theirs.IsRead)
            {
                var (status, answer) = await read.SendAsync(theirs.Method, theirs.Target);
                page.Add(theirs, status, answer, after: null);
            }
            else
            {
                await using var site = await Site.StartAsync();
                var (status, answer) = await site.SendAsync(theirs.Method, theirs.Target, theirs.Body);
                var (_, after) = await site.SendAsync("GET", theirs.List);
                page.Add(theirs, status, answer, after!["records"]);
            }
        }

        page.AssertPublished();
    }

    private sealed class Site(WorkDirectory directory, WebApplicationFactory<Table> application) : IAsyncDisposable
    {
        private readonly CrudClient _client = new(application.CreateClient());

        public static async Task<Site> StartAsync()
        {
            var directory = new WorkDirectory();
            var file = directory.File("blog.db");
            await SqliteFile.ExecuteAsync(file, RecordedAnswer.Script);
            return new Site(directory, CrudSite.Start(
                [("ConnectionStrings:Database", SqliteFile.ConnectionString(file))]));
        }

        public async Task<(int Status, JsonNode? Answer)> SendAsync(string method, string target, JsonNode? body = null)
        {
            var answer = await _client.SendAsync(new HttpMethod(method), target, body?.ToJsonString());
            return ((int)answer.Status, answer.Text.Length == 0 ? null : JsonNode.Parse(answer.Text));
        }

        public async ValueTask DisposeAsync()
        {
            _client.Dispose();
            await application.DisposeAsync();
            directory.Dispose();
        }
    }
}
