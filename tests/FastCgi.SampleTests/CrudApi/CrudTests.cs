using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnSqliteTests(CrudOnSqlite site) : CrudTests(site), IClassFixture<CrudOnSqlite>;

/// <summary>What the API does, on whichever database.</summary>
public abstract class CrudTests(CrudSite site) : CrudSearchTests(site)
{
    private const string SecondPost =
        "{\"id\":2,\"category_id\":2,\"title\":\"Tables without a model\",\"content\":\"The columns are read from the "
        + "catalogue of the database, so nobody has to describe them twice. What was a table a minute ago is a "
        + "resource now: list it, filter it, sort it, change it.\",\"published\":true,"
        + "\"created\":\"2024-01-02T10:30:00\"}";

    [Fact]
    public async Task A_record_is_JSON_with_the_types_of_its_columns()
    {
        var answer = (await Client.GetAsync("/posts/2")).Expect(OK);
        Assert.Equal(SecondPost, answer.Text);
        Assert.Equal("application/json", answer.ContentType);

        var third = (await Client.GetAsync("/posts/3")).Json;
        Assert.Equal("Grüße aus Köln", third.GetProperty("title").GetString());
        Assert.EndsWith("written. 😀", third.GetProperty("content").GetString(), StringComparison.Ordinal);
        Assert.Contains("\"author\":null", (await Client.GetAsync("/comments/2")).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_records_come_in_the_order_of_their_keys_in_the_path()
    {
        var answer = (await Client.GetAsync("/posts/4,2,3?columns=id")).Expect(OK);
        Assert.Equal("[{\"id\":4},{\"id\":2},{\"id\":3}]", answer.Text);
    }

    [Theory]
    [InlineData("/posts/999", "'999'")]
    [InlineData("/posts/abc", "'abc'")]
    [InlineData("/posts/1,998,2,999", "'998', '999'")]
    [InlineData("/posts/1,", "''")]
    [InlineData("/posts/99999999999", "'99999999999'")]
    [InlineData("/nothing", "'nothing'")]
    [InlineData("/nothing/1", "'nothing'")]
    [InlineData("/Posts", "'Posts'")]
    [InlineData("/published_posts/1", "no primary key")]
    [InlineData("/pairs/1", "no primary key")]
    [InlineData("/notes/1", "no primary key")]
    public async Task What_is_not_there_is_404(string target, string part) =>
        (await Client.GetAsync(target)).ExpectProblem(NotFound, part);

    [Fact]
    public async Task A_list_tells_how_many_it_has_and_how_many_there_are()
    {
        var answer = (await Client.GetAsync("/posts?columns=id,title&page=2,2&filter=id,lt,6")).Expect(OK);
        Assert.Equal(
            "{\"records\":[{\"id\":3,\"title\":\"Grüße aus Köln\"},{\"id\":4,\"title\":\"Pancakes\"}],"
            + "\"count\":2,\"total\":5}",
            answer.Text);

        var uncounted = await Client.GetAsync("/tags?include=name&filter=id,le,1&count=false");
        Assert.Equal("{\"records\":[{\"name\":\"news\"}],\"count\":1}", uncounted.Text);

        var beyond = await Client.GetAsync("/posts?page=100000,1000&filter=id,lt,6");
        Assert.Equal("{\"records\":[],\"count\":0,\"total\":5}", beyond.Text);
    }

    [Theory]
    [InlineData("posts", "filter=id,eq,2", "2")]
    [InlineData("posts", "filter=id,neq,2", "1 3 4 5")]
    [InlineData("posts", "filter=id,lt,3", "1 2")]
    [InlineData("posts", "filter=id,le,3", "1 2 3")]
    [InlineData("posts", "filter=id,ge,4", "4 5")]
    [InlineData("posts", "filter=id,gt,4", "5")]
    [InlineData("posts", "filter=id,ngt,4", "1 2 3 4")]
    [InlineData("posts", "filter=id,bt,2,4", "2 3 4")]
    [InlineData("posts", "filter=id,nbt,2,4", "1 5")]
    [InlineData("posts", "filter=id,in,1,5,99", "1 5")]
    [InlineData("posts", "filter=id,nin,1,5", "2 3 4")]
    [InlineData("posts", "filter=id,eq,99999999999", "")]
    [InlineData("posts", "filter=title,cs,PAN", "4")]
    [InlineData("posts", "filter=title,ncs,pan", "1 2 3 5")]
    [InlineData("posts", "filter=title,sw,apple", "5")]
    [InlineData("posts", "filter=title,nsw,apple", "1 2 3 4")]
    [InlineData("posts", "filter=title,ew,model", "2")]
    [InlineData("posts", "filter=title,new,model", "1 3 4 5")]
    [InlineData("posts", "filter=title,eq,Grüße aus Köln", "3")]
    [InlineData("posts", "filter=content,cs,100%25", "5")]
    [InlineData("posts", "filter=content,cs,0%25 b", "5")]
    [InlineData("posts", "filter=content,cs,1%25%25", "")]
    [InlineData("posts", "filter=content,cs,_", "")]
    [InlineData("posts", "filter=content,cs,!", "")]
    [InlineData("posts", "filter=content,cs,eggs, milk", "4")]
    [InlineData("posts", "filter=id,cs,3", "3")]
    [InlineData("posts", "filter=published,eq,false", "5")]
    [InlineData("posts", "filter=published,neq,0", "1 2 3 4")]
    [InlineData("posts", "filter=created,ge,2024-01-04", "4 5")]
    [InlineData("posts", "filter=created,eq,2024-01-03T18:45:30", "3")]
    [InlineData("posts", "filter=created,bt,2024-01-02T00:00:00,2024-01-03 23:59:59", "2 3")]
    [InlineData("comments", "filter=author,is,null", "2")]
    [InlineData("comments", "filter=author,is", "2")]
    [InlineData("comments", "filter=author,nis,null", "1 3 4 5")]
    [InlineData("comments", "filter=author,neq,Ann", "3 5")]
    [InlineData("comments", "filter=author,eq,Ann&filter=post_id,eq,2", "4")]
    [InlineData("published_posts", "filter=comments,ge,1", "1 2 4")]
    [InlineData("published_posts", "filter=category,eq,recipes", "4")]
    public Task Filters_have_all_to_hold(string table, string query, string ids) =>
        AssertFoundAsync($"/{table}?{query}&order=id", ids);

    [Theory]
    [InlineData("order=id,desc", "5 4 3 2 1")]
    [InlineData("order=category_id,desc&order=title,asc", "5 4 3 2 1")]
    [InlineData("order=category_id&order=id,desc", "1 3 2 5 4")]
    [InlineData("order=category_id,desc", "4 5 2 3 1")]
    [InlineData("order=title", "5 3 1 4 2")]
    public Task Lists_are_sorted_and_stay_so_from_page_to_page(string query, string ids) =>
        AssertFoundAsync($"/posts?{query}", ids);

    [Theory]
    [InlineData("filter=secret,eq,1", "'secret'")]
    [InlineData("columns=id,secret", "'secret'")]
    [InlineData("columns=", "''")]
    [InlineData("order=secret,desc", "'secret'")]
    [InlineData("order=id,down", "asc")]
    [InlineData("filter=id", "operators")]
    [InlineData("filter=id,like,1", "operators")]
    [InlineData("filter=id,n,1", "operators")]
    [InlineData("filter=id,eq", "no value")]
    [InlineData("filter=id,bt,1", "two values")]
    [InlineData("filter=id,is,1", "null")]
    [InlineData("page=0", "page")]
    [InlineData("page=-1", "page")]
    [InlineData("page=x", "page")]
    [InlineData("page=1,2,3", "page")]
    [InlineData("page=1,1001", "1000")]
    [InlineData("page=99999999999", "page")]
    [InlineData("count=maybe", "count")]
    [InlineData("filtr=id,eq,1", "'filtr'")]
    public async Task A_query_that_is_not_understood_is_400_and_says_what(string query, string part) =>
        (await Client.GetAsync($"/posts?{query}")).ExpectProblem(BadRequest, part);

    [Theory]
    [InlineData("posts", "id", "abc")]
    [InlineData("posts", "id", "")]
    [InlineData("posts", "id", "1.5")]
    [InlineData("posts", "published", "yes")]
    [InlineData("posts", "created", "yesterday")]
    [InlineData("kinds", "exact", "1,5")]
    [InlineData("kinds", "day", "2024-02-30")]
    [InlineData("kinds", "clock", "25:00:00")]
    [InlineData("kinds", "data", "no base64!")]
    public async Task A_filter_with_a_value_of_another_type_is_422_and_names_both(
        string table, string column, string value)
    {
        var problem = (await Client.GetAsync($"/{table}?filter={column},eq,{value}"))
            .ExpectProblem(UnprocessableEntity, $"'{column}'");
        Assert.Equal(column, problem.Json.GetProperty("column").GetString());
        Assert.Equal(value, problem.Json.GetProperty("value").GetString());
    }

    [Fact]
    public async Task HEAD_answers_as_GET_without_the_body()
    {
        foreach (var target in (string[])["/posts/2", "/posts?columns=id"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Head, new Uri(target, UriKind.Relative));
            using var response =
                await Client.Http.SendAsync(request).Within("the head", deadline: TimeSpan.FromSeconds(30));
            Assert.Equal(OK, response.StatusCode);
            Assert.Equal("application/json", response.Content.Headers.ContentType?.MediaType);
            Assert.Equal("", await response.Content.ReadAsStringAsync().Within("no body"));
        }
    }

    [Theory]
    [InlineData("POST", "/published_posts")]
    [InlineData("PUT", "/published_posts/1")]
    [InlineData("PATCH", "/published_posts/1")]
    [InlineData("DELETE", "/published_posts/1")]
    public async Task A_view_is_read_only(string method, string target)
    {
        var problem = await Client.SendAsync(new HttpMethod(method), target, "{}");
        Assert.Equal("GET, HEAD", problem.ExpectProblem(MethodNotAllowed, "view").Allow);
    }

    [Theory]
    [InlineData("PATCH", "/posts", MethodNotAllowed)]
    [InlineData("DELETE", "/posts", MethodNotAllowed)]
    [InlineData("GET", "/posts/1/2", NotFound)]
    public async Task What_has_no_route_is_a_problem_as_well(string method, string target, HttpStatusCode status)
    {
        var answer = (await Client.SendAsync(new HttpMethod(method), target)).Expect(status);
        Assert.Equal("application/problem+json", answer.ContentType);
    }

    [Theory]
    [InlineData("/posts'--")]
    [InlineData("/posts;DROP TABLE posts")]
    [InlineData("/posts\"")]
    [InlineData("/sqlite_master")]
    [InlineData("/pg_class")]
    [InlineData("/user")]
    [InlineData("/posts/1 OR 1=1")]
    [InlineData("/posts/1;DELETE FROM posts")]
    [InlineData("/posts?columns=id,(SELECT 1)")]
    [InlineData("/posts?columns=*--")]
    [InlineData("/posts?columns=id\" FROM posts;--")]
    [InlineData("/posts?order=id;DROP TABLE posts,desc")]
    [InlineData("/posts?order=id,desc;DROP TABLE posts")]
    [InlineData("/posts?filter=1=1) OR (id,eq,1")]
    [InlineData("/posts?filter=id,eq) OR 1=1 --,1")]
    [InlineData("/posts?filter=id,eq,1 OR 1=1")]
    [InlineData("/posts?filter=id,in,1);DROP TABLE posts;--")]
    [InlineData("/posts?page=1;DROP TABLE posts")]
    public async Task SQL_in_a_name_or_a_number_is_refused(string target)
    {
        var answer = await Client.GetAsync(Uri.EscapeDataString(target).Replace("%2F", "/", StringComparison.Ordinal)
            .Replace("%3F", "?", StringComparison.Ordinal).Replace("%3D", "=", StringComparison.Ordinal));
        Assert.InRange((int)answer.Status, 400, 422);
        var posts = await Client.GetAsync("/posts?columns=id&filter=id,le,5");
        Assert.Equal([1, 2, 3, 4, 5], posts.Ids);
    }

    [Theory]
    [InlineData("' OR '1'='1")]
    [InlineData("\\' OR 1=1 -- ")]
    [InlineData("\\")]
    [InlineData("'; DROP TABLE posts; --")]
    [InlineData("$1 @p1 ? :p1")]
    [InlineData("%")]
    [InlineData("_")]
    [InlineData("😀'\"`\\")]
    public async Task SQL_in_a_text_is_a_text(string text)
    {
        var value = Uri.EscapeDataString(text);
        foreach (var comparison in (string[])["eq", "cs", "sw", "ew", "in", "lt"])
        {
            (await Client.GetAsync($"/tags?filter=name,{comparison},{value}")).Expect(OK);
        }

        Assert.Equal(0, (await Client.GetAsync($"/tags?filter=name,eq,{value}")).Json.GetProperty("total").GetInt32());
        await AssertRoundTripAsync("tags", "name", text);
    }

    [Fact]
    public async Task Names_are_quoted_whatever_is_in_them()
    {
        var created = await AssertRoundTripAsync(BlogScripts.OddTable, BlogScripts.OddColumn, "value");
        Assert.StartsWith(
            $"/{Uri.EscapeDataString(BlogScripts.OddTable)}/", created.Location, StringComparison.Ordinal);
        var column = Uri.EscapeDataString(BlogScripts.OddColumn);
        (await Client.GetAsync(
            $"/{Uri.EscapeDataString(BlogScripts.OddTable)}?filter={column},cs,x&order={column},desc&columns={column}"))
            .Expect(OK);
    }

    [Fact]
    public async Task The_description_has_every_table_with_its_columns()
    {
        var document = (await Client.GetAsync("/openapi.json")).Expect(OK).Json;
        var paths = document.GetProperty("paths");
        foreach (var method in (string[])["get", "post", "put", "patch", "delete"])
        {
            Assert.True(paths.GetProperty("/posts/{keys}").TryGetProperty(method, out _), method);
        }

        Assert.True(paths.GetProperty("/pairs").TryGetProperty("post", out _));
        Assert.False(paths.TryGetProperty("/pairs/{keys}", out _));
        Assert.False(paths.GetProperty("/published_posts").TryGetProperty("post", out _));
        Assert.True(paths.TryGetProperty($"/{Uri.EscapeDataString(BlogScripts.OddTable)}", out _));

        var schemas = document.GetProperty("components").GetProperty("schemas");
        var input = schemas.GetProperty("comments.input");
        Assert.Equal(
            ["message", "post_id"],
            input.GetProperty("required").EnumerateArray().Select(name => name.GetString()).Order());
        var columns = input.GetProperty("properties");
        Assert.Equal(80, columns.GetProperty("author").GetProperty("maxLength").GetInt32());
        Assert.Equal("date-time-local", columns.GetProperty("created").GetProperty("format").GetString());
        var reference = columns.GetProperty("post_id").GetProperty("description").GetString();
        Assert.Contains("id of posts", reference, StringComparison.Ordinal);
        var published = schemas.GetProperty("posts").GetProperty("properties").GetProperty("published");
        Assert.Equal("boolean", published.GetProperty("type").GetString());
    }

    [Fact]
    public async Task The_page_comes_with_its_own_scripts()
    {
        var page = (await Client.GetAsync("/")).Expect(OK);
        Assert.Equal("text/html", page.ContentType);
        Assert.Contains("src=\"./swagger-ui-bundle.js\"", page.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("https://", page.Text, StringComparison.Ordinal);
        (await Client.GetAsync("/swagger-ui-bundle.js")).Expect(OK);
        Assert.Contains("fetch(\"./openapi.json\")", page.Text, StringComparison.Ordinal);
    }
}
