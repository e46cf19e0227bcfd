using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnMariaDbTests(CrudOnMariaDb site) : CrudTests(site), IClassFixture<CrudOnMariaDb>
{
    [Fact]
    public async Task Prepared_statements_end_with_the_request_but_not_by_a_command_without_a_reply()
    {
        const int Requests = 200;
        (await Client.GetAsync("/posts/2")).Expect(OK);
        var closed = await site.Server.ReadStatusAsync("Com_stmt_close");
        var prepared = await site.Server.ReadStatusAsync("Com_stmt_prepare");
        var open = await site.Server.ReadStatusAsync("Prepared_stmt_count");
        for (var i = 0; i < Requests; i++)
        {
            (await Client.GetAsync("/posts/2?join=comments")).Expect(OK);
        }

        // The next command of the connection would wait for the acknowledgement of this one: 40 ms.
        Assert.Equal(closed, await site.Server.ReadStatusAsync("Com_stmt_close"));
        Assert.InRange(await site.Server.ReadStatusAsync("Com_stmt_prepare") - prepared, Requests, long.MaxValue);
        Assert.InRange(await site.Server.ReadStatusAsync("Prepared_stmt_count") - open, long.MinValue, Requests / 10);
    }

    [Fact]
    public async Task A_server_without_room_for_a_prepared_statement_is_503()
    {
        await site.Server.RunAsync("SET GLOBAL max_prepared_stmt_count = 0");
        try
        {
            (await Client.GetAsync("/posts/2")).ExpectProblem(ServiceUnavailable);
        }
        finally
        {
            await site.Server.RunAsync("SET GLOBAL max_prepared_stmt_count = DEFAULT");
        }

        (await Client.GetAsync("/posts/2")).Expect(OK);
    }

    [Theory]
    [InlineData("ACCOUNT LOCK", "ACCOUNT UNLOCK", Forbidden)]
    [InlineData("WITH MAX_CONNECTIONS_PER_HOUR 1", "WITH MAX_CONNECTIONS_PER_HOUR 0", ServiceUnavailable)]
    public async Task Connections_are_pooled_again_after_the_server_refused_the_user_for_a_while(
        string refuse, string accept, HttpStatusCode status)
    {
        const string User = "'root'@'127.0.0.1'";
        const int Requests = 10;
        (await Client.GetAsync("/posts/2")).Expect(OK);
        await site.Server.RunAsync($"ALTER USER {User} {refuse}");
        try
        {
            // While the user is accepted, and while the pool has a connection.
            for (var i = 0; i < Requests; i++)
            {
                await Client.GetAsync("/posts/2");
            }

            (await Client.GetAsync("/posts/2")).ExpectProblem(status);
        }
        finally
        {
            await site.Server.RunAsync($"ALTER USER {User} {accept}; FLUSH USER_RESOURCES");
        }

        (await Client.GetAsync("/posts/2")).Expect(OK);
        var connections = await site.Server.ReadStatusAsync("Connections");
        for (var i = 0; i < Requests; i++)
        {
            (await Client.GetAsync("/posts/2")).Expect(OK);
        }

        // One of them is the client of the test.
        Assert.InRange(await site.Server.ReadStatusAsync("Connections") - connections, 1, Requests / 2);
    }

    [Fact]
    public async Task MariaDBs_own_types_come_back_as_they_were_sent()
    {
        const string Record =
            "{\"id\":\"123e4567-e89b-12d3-a456-426655440000\",\"positive\":18446744073709551615,"
            + "\"bits\":9,\"flag\":true,"
            + "\"document\":\"{\\\"a\\\": 1}\",\"feeling\":\"happy\",\"long_time\":\"12:30:00\","
            + "\"moment\":\"2024-01-01T10:00:00.123456\",\"made\":2024,"
            + "\"big\":\"12345678901234567890123456789.50\",\"single\":0.1}";
        var created = await Client.PostAsync(
            "/own_types", Record.Replace("789.50", "789.5", StringComparison.Ordinal));
        Assert.Equal(Record, created.Expect(Created).Text);
        Assert.Equal(Record, (await Client.GetAsync(created.Location!)).Text);

        foreach (var filter in (string[])
            [
                "positive,eq,18446744073709551615", "flag,eq,true",
                "id,eq,123E4567-E89B-12D3-A456-426655440000", "made,ge,2024",
                "feeling,cs,app", "moment,eq,2024-01-01T10:00:00.123456", "bits,eq,9",
            ])
        {
            var found = (await Client.GetAsync($"/own_types?filter={Uri.EscapeDataString(filter)}")).Expect(OK);
            Assert.True(found.Json.GetProperty("count").GetInt32() == 1, filter);
        }

        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Fact]
    public async Task Geometries_are_well_known_text()
    {
        var created = (await Client.PostAsync(
            "/places", "{\"spot\":\"POINT(30 20)\",\"area\":\"POLYGON((0 0,4 0,4 4,0 0))\"}")).Expect(Created);
        var id = created.Json.GetProperty("id").GetInt32();
        Assert.Equal(
            $"{{\"id\":{id},\"spot\":\"POINT(30 20)\",\"area\":\"POLYGON((0 0,4 0,4 4,0 0))\"}}", created.Text);
        var moved = (await Client.PutAsync($"/records{created.Location}", "{\"spot\":\"POINT(1 2)\"}")).Expect(OK);
        Assert.Equal("POINT(1 2)", moved.Json.GetProperty("spot").GetString());
        foreach (var filter in (string[])["spot,eq,POINT(1 2)", "area,cs,4 4", "spot,sw,point"])
        {
            Assert.Equal([id], (await Client.GetAsync($"/places?filter={Uri.EscapeDataString(filter)}")).Ids);
        }

        foreach (var wrong in (string[])["POINT(1)", "nowhere", "", "POLYGON((0 0,4 0,4 4,0 0))"])
        {
            (await Client.PatchAsync(created.Location!, $"{{\"spot\":\"{wrong}\"}}"))
                .ExpectProblem(UnprocessableEntity);
        }

        var cleared = (await Client.PatchAsync(created.Location!, "{\"spot\":null}")).Expect(OK);
        Assert.Contains("\"spot\":null", cleared.Text, StringComparison.Ordinal);
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Theory]
    [InlineData("/own_types", "{\"feeling\":\"angry\"}", "")]
    [InlineData("/own_types", "{\"document\":\"{\"}", "")]
    [InlineData("/own_types", "{\"positive\":-1}", "'positive'")]
    [InlineData("/own_types", "{\"made\":70000}", "")]
    [InlineData("/kinds", "{\"whole\":32768}", "'whole'")]
    public async Task What_only_MariaDB_knows_to_be_wrong_is_422(string table, string json, string part) =>
        (await Client.PostAsync(table, json)).ExpectProblem(UnprocessableEntity, part);
}
