using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>What <see cref="CrudTests"/> expects of refusals: they name the column, and the record of an array.</summary>
public abstract class CrudProblemTests(CrudSite site) : CrudWritingTests(site)
{
    [Theory]
    [InlineData("POST", "/categories", "{\"name\":\"recipes\"}", "name")]
    [InlineData("PATCH", "/categories/1", "{\"name\":\"recipes\"}", "name")]
    [InlineData("PUT", "/tags/1", "{\"name\":\"sql\"}", "name")]
    [InlineData("POST", "/categories/1", "{\"name\":\"another\"}", "id")]
    [InlineData("POST", "/post_tags", "{\"post_id\":1,\"tag_id\":1}", "post_id,tag_id")]
    [InlineData("POST", "/comments", "{\"post_id\":999999,\"message\":\"x\"}", "post_id")]
    [InlineData("PATCH", "/posts/1", "{\"category_id\":999999}", "category_id")]
    [InlineData("PATCH", "/post_tags/1", "{\"post_id\":2,\"tag_id\":999999}", "tag_id")]
    [InlineData("DELETE", "/categories/1", null, "category_id")]
    [InlineData("DELETE", "/tags/1", null, "tag_id")]
    public async Task A_conflict_names_its_column(string method, string target, string? json, string column)
    {
        var problem = (await Client.SendAsync(new HttpMethod(method), target, json)).ExpectProblem(Conflict);
        Assert.Equal(column, problem.Json.GetProperty("column").GetString());
        Assert.All(column.Split(','), name => Assert.Contains($"'{name}'", problem.Detail, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("[{\"name\":\"c1\"},{\"name\":7},{\"name\":\"c3\"},{\"nam\":\"c4\"}]", UnprocessableEntity, "2 4")]
    [InlineData("[{\"name\":\"c1\"},{\"name\":\"c2\"},{\"name\":\"news\"}]", Conflict, "3")]
    [InlineData("[{\"name\":\"c1\"},{\"name\":\"c1\"}]", Conflict, "2")]
    [InlineData("[{\"name\":\"c1\"},7]", BadRequest, "2")]
    public async Task A_refused_array_tells_which_records_are_wrong(string json, HttpStatusCode status, string records)
    {
        var problem = (await Client.PostAsync("/tags", json)).ExpectProblem(status, $"Record {records[0]}: ");
        var errors = problem.Json.GetProperty("errors").EnumerateArray().ToArray();
        Assert.Equal(records, string.Join(' ', errors.Select(error => error.GetProperty("record").GetInt32())));
        Assert.All(errors, error => Assert.NotEmpty(error.GetProperty("detail").GetString()!));
        Assert.Equal(errors[0].GetProperty("record").GetInt32(), problem.Json.GetProperty("record").GetInt32());
        Assert.Empty((await Client.GetAsync("/tags?filter=name,sw,c")).Ids);
    }

    [Fact]
    public async Task A_refused_array_of_changes_tells_which_record_is_wrong()
    {
        var problem = (await Client.PatchAsync("/tags/1,2", "[{\"name\":\"x\"},{\"name\":\"food\"}]"))
            .ExpectProblem(Conflict, "Record 2: ");
        Assert.Equal("name", problem.Json.GetProperty("errors")[0].GetProperty("column").GetString());
        Assert.Equal("news", (await Client.GetAsync("/tags/1")).Json.GetProperty("name").GetString());
    }

    [Theory]
    [InlineData("", "The body is no JSON in line 1, byte 1: it is empty, and a record is a JSON object.")]
    [InlineData(" \r\n", "The body is no JSON in line 2, byte 1: it is empty, and a record is a JSON object.")]
    [InlineData("{\"name\":\"a\",\"name\":\"b\"}", "The record has column 'name' twice.")]
    [InlineData("{\"name\":", "The body is no JSON in line 1, byte 9: see RFC 8259.")]
    [InlineData("{\"name\":\"\u00ff\"}", "The body is not UTF-8, which JSON has to be.")]
    public async Task A_body_that_is_no_record_is_refused_in_words_of_the_API(string latin, string detail)
    {
        using var content = new ByteArrayContent(Encoding.Latin1.GetBytes(latin));
        content.Headers.ContentType = new("application/json");
        var target = new Uri("/tags", UriKind.Relative);
        using var response = await Client.Http.PostAsync(target, content).Within("the refusal");
        Assert.Equal(BadRequest, response.StatusCode);
        var text = await response.Content.ReadAsStringAsync().Within("its body");
        using var problem = JsonDocument.Parse(text);
        Assert.Equal(detail, problem.RootElement.GetProperty("detail").GetString());
    }

    /// <summary>As a page makes it of a schema, and as a client does that was generated from the document.</summary>
    [Theory]
    [InlineData("posts")]
    [InlineData("comments")]
    [InlineData("kinds")]
    public async Task The_example_in_the_description_can_be_sent(string table)
    {
        var document = (await Client.GetAsync("/openapi.json")).Expect(OK).Json;
        var schemas = document.GetProperty("components").GetProperty("schemas");
        var properties = schemas.GetProperty($"{table}.input").GetProperty("properties");
        Assert.False(properties.TryGetProperty("id", out _), "The database numbers the records.");
        var record = properties.EnumerateObject().ToDictionary(
            property => property.Name, property => property.Value.GetProperty("examples")[0]);
        var created = (await Client.PostAsync($"/{table}", JsonSerializer.Serialize(record))).Expect(Created);
        foreach (var (name, value) in record)
        {
            Assert.Equal(value.ToString(), created.Json.GetProperty(name).ToString().Replace(
                "1.5000", "1.5", StringComparison.Ordinal));
        }

        if (created.Location is { } location)
        {
            var changes = schemas.GetProperty($"{table}.changes").GetProperty("properties");
            Assert.Equal(record.Keys, changes.EnumerateObject().Select(property => property.Name));
            (await Client.DeleteAsync(location)).Expect(NoContent);
        }
    }
}
