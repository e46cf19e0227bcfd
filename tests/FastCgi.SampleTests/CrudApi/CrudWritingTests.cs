using System.Globalization;
using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>The half of <see cref="CrudTests"/> that changes records; each test puts back what it changed.</summary>
public abstract class CrudWritingTests : IDisposable
{
    protected CrudWritingTests(CrudSite site) => Client = site.CreateClient();

    protected CrudClient Client { get; }

    [Fact]
    public async Task POST_creates_a_record_and_tells_where_it_is()
    {
        var created = await Client.PostAsync("/comments", "{\"post_id\":3,\"message\":\"Nice\"}");
        created.Expect(Created);
        var id = created.Json.GetProperty("id").GetInt32();
        Assert.Equal($"/comments/{id}", created.Location);
        Assert.Equal(JsonValueKind.Null, created.Json.GetProperty("author").ValueKind);
        Assert.True(created.Json.GetProperty("created").GetDateTime() > new DateTime(2024, 2, 1));

        Assert.Equal(created.Text, (await Client.GetAsync(created.Location!)).Expect(OK).Text);
        Assert.Equal("", (await Client.DeleteAsync(created.Location!)).Expect(NoContent).Text);
        (await Client.GetAsync(created.Location!)).ExpectProblem(NotFound);
        (await Client.DeleteAsync(created.Location!)).ExpectProblem(NotFound);
    }

    [Fact]
    public async Task POST_creates_all_records_of_an_array_or_none()
    {
        var created = await Client.PostAsync("/tags", "[{\"name\":\"a\"},{\"name\":\"b\",\"is_important\":true}]");
        Assert.Null(created.Expect(Created).Location);
        Assert.Equal(
            [false, true], created.Json.EnumerateArray().Select(tag => tag.GetProperty("is_important").GetBoolean()));

        (await Client.PostAsync("/tags", "[{\"name\":\"c\"},{\"name\":\"a\"}]")).ExpectProblem(Conflict);
        (await Client.PostAsync("/tags", "[{\"name\":\"c\"},{\"name\":7}]")).ExpectProblem(UnprocessableEntity);
        Assert.Empty((await Client.GetAsync("/tags?filter=name,eq,c")).Ids);
        await DeleteAsync("tags", created);
    }

    [Fact]
    public async Task Records_of_one_array_may_have_values_of_different_types()
    {
        const string Records =
            "[{\"author\":null,\"post_id\":3,\"message\":\"a\"},{\"author\":\"b\",\"post_id\":3,\"message\":\"b\"},"
            + "{\"author\":null,\"post_id\":3,\"message\":\"c\"}]";
        var created = (await Client.PostAsync("/comments", Records)).Expect(Created);
        var authors = created.Json.EnumerateArray().Select(comment => comment.GetProperty("author").GetString());
        Assert.Equal([null, "b", null], authors);
        await DeleteAsync("comments", created);
    }

    [Fact]
    public async Task POST_with_keys_in_the_path_creates_records_with_them()
    {
        var one = (await Client.PostAsync("/tags/501", "{\"name\":\"five\"}")).Expect(Created);
        Assert.Equal(("/tags/501", "{\"id\":501,\"name\":\"five\",\"is_important\":false}"), (one.Location, one.Text));
        (await Client.PostAsync("/tags/501", "{\"name\":\"six\"}")).ExpectProblem(Conflict);
        (await Client.PostAsync("/tags/502", "{\"id\":503,\"name\":\"six\"}"))
            .ExpectProblem(UnprocessableEntity, "'id'");
        (await Client.PostAsync("/tags/502,503", "{\"name\":\"six\"}")).ExpectProblem(BadRequest);
        (await Client.PostAsync("/tags/502,503", "[{\"name\":\"six\"},{\"id\":503,\"name\":\"seven\"}]"))
            .Expect(Created);
        (await Client.DeleteAsync("/tags/501,502,503")).Expect(NoContent);
    }

    [Fact]
    public async Task PUT_sets_what_is_not_given_to_its_default_and_keeps_the_key()
    {
        var created = await Client.PostAsync(
            "/comments", "{\"post_id\":3,\"author\":\"Dan\",\"message\":\"Old\",\"created\":\"2000-01-01T00:00:00\"}");
        var replaced = (await Client.PutAsync(created.Location!, "{\"post_id\":3,\"message\":\"New\"}")).Expect(OK);
        Assert.Equal(created.Json.GetProperty("id").GetInt32(), replaced.Json.GetProperty("id").GetInt32());
        Assert.Equal("New", replaced.Json.GetProperty("message").GetString());
        Assert.Equal(JsonValueKind.Null, replaced.Json.GetProperty("author").ValueKind);
        Assert.True(replaced.Json.GetProperty("created").GetDateTime().Year > 2020);
        Assert.Equal(replaced.Text, (await Client.GetAsync(created.Location!)).Text);

        // What was read can be put back, key and all.
        Assert.Equal(replaced.Text, (await Client.PutAsync(created.Location!, replaced.Text)).Expect(OK).Text);
        (await Client.PutAsync(created.Location!, "{\"message\":\"x\"}"))
            .ExpectProblem(UnprocessableEntity, "'post_id'");
        (await Client.PutAsync(created.Location!, "{\"id\":1,\"post_id\":3,\"message\":\"x\"}"))
            .ExpectProblem(UnprocessableEntity, "'id'");
        (await Client.PutAsync("/comments/999999", "{\"post_id\":3,\"message\":\"x\"}"))
            .ExpectProblem(NotFound, "'999999'");
        await DeleteAsync("comments", created);
    }

    [Fact]
    public async Task PATCH_changes_only_what_is_given()
    {
        var created = await Client.PostAsync("/comments", "{\"post_id\":3,\"author\":\"Dan\",\"message\":\"Old\"}");
        var changed = (await Client.PatchAsync(created.Location!, "{\"message\":\"New\"}")).Expect(OK);
        Assert.Equal(created.Text.Replace("Old", "New", StringComparison.Ordinal), changed.Text);
        Assert.Equal(changed.Text, (await Client.PatchAsync(created.Location!, "{}")).Expect(OK).Text);
        Assert.Equal(
            changed.Text, (await Client.PatchAsync(created.Location!, "{\"message\":\"New\"}")).Expect(OK).Text);
        var cleared = await Client.PatchAsync(created.Location!, "{\"author\":null}");
        Assert.Contains("\"author\":null", cleared.Text, StringComparison.Ordinal);
        (await Client.PatchAsync("/comments/999999", "{\"message\":\"x\"}")).ExpectProblem(NotFound, "'999999'");
        (await Client.PatchAsync("/comments/999999", "{}")).ExpectProblem(NotFound, "'999999'");
        await DeleteAsync("comments", created);
    }

    [Fact]
    public async Task Several_records_are_changed_together_or_not_at_all()
    {
        var created = await Client.PostAsync("/tags", "[{\"name\":\"x1\"},{\"name\":\"x2\"}]");
        var keys = string.Join(',', created.Json.EnumerateArray().Select(tag => tag.GetProperty("id").GetInt32()));

        var shared = (await Client.PatchAsync($"/tags/{keys}", "{\"is_important\":true}")).Expect(OK);
        Assert.Equal(2, shared.Json.GetArrayLength());
        Assert.All(shared.Json.EnumerateArray(), tag => Assert.True(tag.GetProperty("is_important").GetBoolean()));
        var each = (await Client.PutAsync($"/tags/{keys}", "[{\"name\":\"y1\"},{\"name\":\"y2\"}]")).Expect(OK);
        Assert.Equal(["y1", "y2"], each.Json.EnumerateArray().Select(tag => tag.GetProperty("name").GetString()));
        Assert.All(each.Json.EnumerateArray(), tag => Assert.False(tag.GetProperty("is_important").GetBoolean()));

        (await Client.PatchAsync($"/tags/{keys},999999", "{\"is_important\":true}"))
            .ExpectProblem(NotFound, "'999999'");
        (await Client.PatchAsync($"/tags/{keys}", "[{\"name\":\"z1\"},{\"name\":\"news\"}]")).ExpectProblem(Conflict);
        (await Client.PatchAsync($"/tags/{keys}", "[{\"name\":\"z1\"}]")).ExpectProblem(BadRequest);
        (await Client.DeleteAsync($"/tags/{keys},999999")).ExpectProblem(NotFound, "'999999'");
        Assert.Equal(each.Text, (await Client.GetAsync($"/tags/{keys}")).Text);
        await DeleteAsync("tags", created);
    }

    [Theory]
    [InlineData("whole", "\"1\"")]
    [InlineData("whole", "1.5")]
    [InlineData("whole", "true")]
    [InlineData("large", "9223372036854775808")]
    [InlineData("exact", "\"one\"")]
    [InlineData("exact", "true")]
    [InlineData("floating", "\"1\"")]
    [InlineData("floating", "1e999")]
    [InlineData("flag", "1")]
    [InlineData("flag", "\"true\"")]
    [InlineData("label", "7")]
    [InlineData("label", "null")]
    [InlineData("label", "\"eleven char\"")]
    [InlineData("label", "\"a\\u0000b\"")]
    [InlineData("label", "[\"x\"]")]
    [InlineData("day", "\"2024-02-30\"")]
    [InlineData("day", "20240101")]
    [InlineData("clock", "\"24:00:00\"")]
    [InlineData("moment", "\"2024-01-01T00:00:00Z\"")]
    [InlineData("moment", "\"2024-01-01T25:00:00\"")]
    [InlineData("data", "\"%%%\"")]
    [InlineData("twice", "2")]
    public async Task A_value_that_the_column_cannot_hold_is_422_and_is_named(string column, string value)
    {
        var problem = (await Client.PostAsync("/kinds", $"{{\"{column}\":{value}}}"))
            .ExpectProblem(UnprocessableEntity, $"'{column}'");
        Assert.Equal(column, problem.Json.GetProperty("column").GetString());
        Assert.Equal(value, problem.Json.GetProperty("value").GetString());
    }

    [Theory]
    [InlineData("-_8", "+/8=")]
    [InlineData("-_-_", "+/+/")]
    [InlineData("AA", "AA==")]
    [InlineData("", "")]
    public async Task Bytes_are_taken_in_base64_of_URLs_too(string sent, string stored)
    {
        var created = (await Client.PostAsync("/kinds", $"{{\"data\":\"{sent}\"}}")).Expect(Created);

        Assert.Equal(stored, created.Json.GetProperty("data").GetString());
        await DeleteAsync("kinds", created);
    }

    [Theory]
    [InlineData("{\"whole\":-32768,\"large\":9223372036854775807,\"exact\":12345678901234.5678,\"floating\":-1.5E+300,"
        + "\"flag\":true,"
        + "\"label\":\"😀😀😀😀😀😀😀😀😀😀\",\"day\":\"2024-02-29\",\"clock\":\"23:59:58\","
        + "\"moment\":\"1999-12-31T23:59:59\",\"data\":\"AAEC/w==\"}", "-65536")]
    [InlineData(
        "{\"whole\":null,\"large\":null,\"exact\":null,\"floating\":null,\"flag\":null,\"label\":\"\",\"day\":null,"
        + "\"clock\":null,\"moment\":null,\"data\":null}", "null")]
    [InlineData("{\"whole\":0,\"large\":-9223372036854775808,\"exact\":\"-0.5\",\"floating\":0.1,\"flag\":false,"
        + "\"label\":\"\\\"\\\\\\n<>&\","
        + "\"day\":\"0001-01-01\",\"clock\":\"00:00:00\",\"moment\":\"9999-12-31T00:00:00\",\"data\":\"\"}", "0")]
    public async Task A_value_of_every_kind_comes_back_as_it_was_sent(string json, string twice)
    {
        var created = (await Client.PostAsync("/kinds", json)).Expect(Created);
        using var sent = JsonDocument.Parse(json);
        foreach (var property in sent.RootElement.EnumerateObject())
        {
            var stored = created.Json.GetProperty(property.Name);
            if (property.Name is "exact" && stored.ValueKind != JsonValueKind.Null)
            {
                // SQLite has floating-point numbers only; all fill up with zeros.
                Assert.Equal(JsonValueKind.String, stored.ValueKind);
                Assert.Matches(@"\.[0-9]{4}$", stored.GetString());
                Assert.Equal(
                    double.Parse(property.Value.ToString(), CultureInfo.InvariantCulture),
                    double.Parse(stored.GetString()!, CultureInfo.InvariantCulture));
            }
            else if (stored.ValueKind == JsonValueKind.Number)
            {
                Assert.Equal(property.Value.GetDouble(), stored.GetDouble());
            }
            else
            {
                Assert.Equal(property.Value.ToString(), stored.ToString());
            }
        }

        Assert.Equal(twice, created.Json.GetProperty("twice").GetRawText());
        Assert.Equal(created.Text, (await Client.GetAsync(created.Location!)).Text);
        var (id, values) = (created.Json.GetProperty("id").GetInt32(), created.Json);
        foreach (var column in (string[])["whole", "large", "exact", "label", "day", "clock", "moment", "data"])
        {
            var filter = values.GetProperty(column).ValueKind == JsonValueKind.Null
                ? "is"
                : $"eq,{Uri.EscapeDataString(values.GetProperty(column).ToString())}";
            var found = (await Client.GetAsync($"/kinds?filter={column},{filter}&filter=id,eq,{id}")).Expect(OK);
            Assert.True(found.Ids.SequenceEqual([id]), $"{column}: {found.Text}");
        }

        await DeleteAsync("kinds", created);
    }

    [Fact]
    public async Task A_record_without_any_value_has_the_defaults()
    {
        var created = (await Client.PostAsync("/kinds", "{}")).Expect(Created);
        Assert.Equal("none", created.Json.GetProperty("label").GetString());
        (await Client.PostAsync("/comments", "{}")).ExpectProblem(UnprocessableEntity, "'post_id'");
        await DeleteAsync("kinds", created);
    }

    [Theory]
    [InlineData("{\n  \"name\": 'x'\n}", "line 2, byte 11")]
    [InlineData("{\"name\":\"\\ud800\"}", "surrogate")]
    [InlineData("{\"nam\":\"a\"}", "'nam'")]
    [InlineData("{\"NAME\":\"a\"}", "'NAME'")]
    [InlineData("{\"name\\\"; DROP TABLE tags; --\":\"a\"}", "DROP")]
    [InlineData("7", "a number")]
    [InlineData("null", "null")]
    [InlineData("[]", "without a record")]
    [InlineData("[[]]", "an array")]
    public async Task A_body_that_is_no_record_is_400_and_says_where(string json, string part) =>
        (await Client.PostAsync("/tags", json)).ExpectProblem(BadRequest, part);

    [Fact]
    public async Task Requests_are_bounded()
    {
        var many = string.Join(',', Enumerable.Range(0, 101).Select(_ => "{}"));
        (await Client.PostAsync("/tags", $"[{many}]")).ExpectProblem(BadRequest, "100");
        var large = $"{{\"name\":\"{new string('x', 1024 * 1024)}\"}}";
        (await Client.PostAsync("/tags", large)).ExpectProblem(RequestEntityTooLarge, "1048576");
        var keys = string.Join(',', Enumerable.Range(1, 101));
        (await Client.DeleteAsync($"/tags/{keys}")).ExpectProblem(BadRequest, "100");
        (await Client.GetAsync($"/tags?filter=id,in,{keys}")).ExpectProblem(BadRequest, "100");
        // It is gone already when its turn comes again.
        var created = (await Client.PostAsync("/tags", "{\"name\":\"twice\"}")).Expect(Created);
        var key = created.Json.GetProperty("id").GetInt32();
        (await Client.DeleteAsync($"/tags/{key},{key}")).ExpectProblem(NotFound, $"'{key}'");
        (await Client.DeleteAsync($"/tags/{key}")).Expect(NoContent);
        (await Client.SendAsync(HttpMethod.Post, "/tags", "name=x", "application/x-www-form-urlencoded"))
            .ExpectProblem(UnsupportedMediaType);
        (await Client.SendAsync(HttpMethod.Delete, "/tags/1?filter=id,eq,2")).ExpectProblem(BadRequest, "'filter'");
    }

    [Theory]
    [InlineData("pairs", "{\"left_id\":1,\"right_id\":2}")]
    [InlineData("notes", "{\"text\":\"Remember\"}")]
    public async Task A_table_without_a_key_of_one_column_is_listed_and_grows(string table, string json)
    {
        var created = (await Client.PostAsync($"/{table}", json)).Expect(Created);
        Assert.Null(created.Location);
        Assert.Equal(json, created.Text);
        var list = (await Client.GetAsync($"/{table}")).Expect(OK);
        Assert.Equal($"{{\"records\":[{json}],\"count\":1,\"total\":1}}", list.Text);
        (await Client.DeleteAsync($"/{table}/1")).ExpectProblem(NotFound, "no primary key");
    }

    [Fact]
    public async Task A_key_may_be_a_text()
    {
        var created = (await Client.PostAsync("/codes", "{\"code\":\"a b+ü%?#'\",\"name\":\"odd\"}")).Expect(Created);
        Assert.Equal("/codes/a%20b%2B%C3%BC%25%3F%23%27", created.Location);
        Assert.Equal(created.Text, (await Client.GetAsync(created.Location!)).Expect(OK).Text);
        (await Client.PostAsync("/codes", "{\"name\":\"no key\"}")).ExpectProblem(UnprocessableEntity, "'code'");
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Fact]
    public async Task Many_write_at_once()
    {
        var before = (await Client.GetAsync("/notes?count=true")).Json.GetProperty("total").GetInt32();
        var answers = await Task.WhenAll(Enumerable.Range(0, 60).Select(number =>
            Client.PostAsync("/codes", $"{{\"code\":\"many{number}\",\"name\":\"{number}\"}}")));
        Assert.All(answers, answer => answer.Expect(Created));
        Assert.Equal(
            60, (await Client.GetAsync("/codes?filter=code,sw,many&page=1,1000")).Json.GetProperty("count").GetInt32());
        (await Client.DeleteAsync(
            $"/codes/{string.Join(',', Enumerable.Range(0, 60).Select(number => $"many{number}"))}"))
            .Expect(NoContent);
        Assert.Equal(before, (await Client.GetAsync("/notes")).Json.GetProperty("total").GetInt32());
    }

    [Fact]
    public async Task A_list_longer_than_the_buffer_arrives_whole()
    {
        var message = new string('m', 5000);
        var body = string.Join(',', Enumerable.Repeat($"{{\"post_id\":5,\"message\":\"{message}\"}}", 60));
        var created = (await Client.PostAsync("/comments", $"[{body}]")).Expect(Created);
        var list = (await Client.GetAsync("/comments?filter=post_id,eq,5&page=1,1000")).Expect(OK).Json;
        Assert.Equal((60, 60), (list.GetProperty("count").GetInt32(), list.GetProperty("total").GetInt32()));
        Assert.All(list.GetProperty("records").EnumerateArray(), record => Assert.Equal(
            message, record.GetProperty("message").GetString()));
        await DeleteAsync("comments", created);
    }

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        Client.Dispose();
    }

    /// <summary>A list has these records of the first five; those that other tests make have larger numbers.</summary>
    protected async Task AssertFoundAsync(string target, string ids)
    {
        var answer = (await Client.GetAsync($"{target}&filter=id,le,5")).Expect(OK);
        Assert.Equal(ids, string.Join(' ', answer.Ids));
        Assert.Equal(answer.Ids.Count(), answer.Json.GetProperty("total").GetInt32());
    }

    /// <summary>Creates a record with a text, finds it by that, reads it, and deletes it.</summary>
    protected async Task<CrudAnswer> AssertRoundTripAsync(string table, string column, string text)
    {
        var path = $"/{Uri.EscapeDataString(table)}";
        var json = JsonSerializer.Serialize(new Dictionary<string, string> { [column] = text });
        var created = (await Client.PostAsync(path, json)).Expect(Created);
        Assert.Equal(text, created.Json.GetProperty(column).GetString());
        var found =
            await Client.GetAsync($"{path}?filter={Uri.EscapeDataString(column)},eq,{Uri.EscapeDataString(text)}");
        Assert.Equal([created.Json.GetProperty("id").GetInt32()], found.Expect(OK).Ids);
        Assert.Equal(created.Text, (await Client.PatchAsync(created.Location!, json)).Expect(OK).Text);
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
        return created;
    }

    private async Task DeleteAsync(string table, CrudAnswer created)
    {
        var records =
            created.Json.ValueKind == JsonValueKind.Array ? [.. created.Json.EnumerateArray()] : new[] { created.Json };
        var keys = string.Join(',', records.Select(record => record.GetProperty("id").GetInt32()));
        (await Client.DeleteAsync($"/{table}/{keys}")).Expect(NoContent);
    }
}
