using System.Diagnostics;
using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnPostgreSqlTests(CrudOnPostgreSql site) : CrudTests(site), IClassFixture<CrudOnPostgreSql>
{
    [Theory]
    [InlineData("/posts?join=comments&join=tags&join=categories&filter=id,le,5&count=false", 4)]
    [InlineData("/categories?join=posts,comments&join=posts,tags&count=false", 4)]
    [InlineData("/posts/1?join=comments", 2)]
    public async Task A_join_asks_the_database_once_for_each_table(string target, int statements)
    {
        // Npgsql tells of each statement, in the trace that the request belongs to.
        var trace = ActivityTraceId.CreateRandom();
        var asked = 0;
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name is "Npgsql" or "Microsoft.AspNetCore",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.Source.Name == "Npgsql" && activity.TraceId == trace
                    && activity.TagObjects.Any(static tag =>
                        tag.Value is string text && text.StartsWith("SELECT ", StringComparison.Ordinal)))
                {
                    Interlocked.Increment(ref asked);
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(target, UriKind.Relative));
        request.Headers.Add("traceparent", $"00-{trace}-{ActivitySpanId.CreateRandom()}-01");
        using var answer = await Client.Http.SendAsync(request).Within("the answer");

        Assert.Equal(OK, answer.StatusCode);
        Assert.Equal(statements, asked);
    }

    [Fact]
    public async Task PostgreSQLs_own_types_come_back_as_they_were_sent()
    {
        const string Record =
            "{\"id\":\"123e4567-e89b-12d3-a456-426655440000\",\"instant\":\"2024-01-01T10:00:00.25Z\","
            + "\"document\":{\"a\":[1,null]},"
            + "\"numbers\":\"{1,2,3}\",\"feeling\":\"happy\",\"span\":\"1 day 02:00:00\","
            + "\"big\":\"1234567890123456789012345678901234567890.5\",\"single\":0.1,\"always\":1}";
        var created = await Client.PostAsync(
            "/own_types",
            Record.Replace(",\"always\":1", "", StringComparison.Ordinal)
                .Replace("10:00:00.25Z", "12:00:00.25+02:00", StringComparison.Ordinal));
        Assert.Equal(Record, created.Expect(Created).Text);
        Assert.Equal(Record, (await Client.GetAsync(created.Location!)).Text);

        foreach (var filter in (string[])
            [
                "document,cs,null", "numbers,cs,2", "feeling,eq,happy", "instant,eq,2024-01-01T10:00:00.25Z",
                "span,sw,1 day",
                "document,eq,{\"a\": [1, null]}", "big,gt,1e20",
            ])
        {
            var found = (await Client.GetAsync($"/own_types?filter={Uri.EscapeDataString(filter)}")).Expect(OK);
            Assert.True(found.Json.GetProperty("count").GetInt32() == 1, filter);
        }

        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Theory]
    [InlineData("/own_types", "{\"feeling\":\"angry\"}", "")]
    [InlineData("/own_types", "{\"numbers\":\"1,2\"}", "")]
    [InlineData("/own_types", "{\"always\":5}", "'always'")]
    [InlineData("/own_types", "{\"id\":\"no uuid\"}", "'id'")]
    [InlineData("/kinds", "{\"whole\":32768}", "'whole'")]
    public async Task What_only_PostgreSQL_knows_to_be_wrong_is_422(string table, string json, string part) =>
        (await Client.PostAsync(table, json)).ExpectProblem(UnprocessableEntity, part);
}
