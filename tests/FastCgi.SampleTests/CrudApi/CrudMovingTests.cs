using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>What <see cref="CrudTests"/> expects for those who come from PHP-CRUD-API.</summary>
public abstract class CrudMovingTests(CrudSite site) : CrudProblemTests(site)
{
    [Fact]
    public async Task Records_have_the_paths_of_PHP_CRUD_API_too()
    {
        var list = (await Client.GetAsync("/records/posts?filter=id,le,5&columns=id")).Expect(OK);
        Assert.Equal((await Client.GetAsync("/posts?filter=id,le,5&columns=id")).Text, list.Text);
        var post = (await Client.GetAsync("/posts/2")).Text;
        Assert.Equal(
            post.Replace("2024-01-02T10:30:00", "2024-01-02 10:30:00", StringComparison.Ordinal),
            (await Client.GetAsync("/records/posts/2")).Text);

        var created = (await Client.PostAsync("/records/tags", "{\"name\":\"moved\"}")).Expect(Created);
        Assert.StartsWith("/records/tags/", created.Location, StringComparison.Ordinal);
        (await Client.PutAsync(created.Location!, "{\"is_important\":true}")).Expect(OK);
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
        (await Client.GetAsync("/records/nothing")).ExpectProblem(NotFound, "'nothing'");
    }

    [Fact]
    public async Task Below_records_PUT_changes_what_is_given_and_PATCH_adds_as_in_PHP_CRUD_API()
    {
        var created = (await Client.PostAsync(
            "/records/kinds", "{\"whole\":1,\"exact\":1.5,\"label\":\"kept\",\"flag\":true}")).Expect(Created);
        var more = (await Client.PatchAsync(created.Location!, "{\"exact\":\"0.25\"}")).Expect(OK).Json;
        Assert.Equal("1.7500", more.GetProperty("exact").GetString());
        var changed = (await Client.PutAsync(created.Location!, "{\"whole\":5,\"exact\":null}")).Expect(OK).Json;
        Assert.Equal((5, "kept"), (changed.GetProperty("whole").GetInt32(), changed.GetProperty("label").GetString()));
        Assert.Equal(JsonValueKind.Null, changed.GetProperty("exact").ValueKind);
        Assert.True(changed.GetProperty("flag").GetBoolean());

        var id = created.Json.GetProperty("id").GetInt32();
        var added = (await Client.PatchAsync(created.Location!, $"{{\"id\":{id},\"whole\":-2}}")).Expect(OK).Json;
        Assert.Equal((3, "kept"), (added.GetProperty("whole").GetInt32(), added.GetProperty("label").GetString()));
        added = (await Client.PatchAsync(created.Location!, "{\"whole\":{\"increment\":1}}")).Expect(OK).Json;
        Assert.Equal(4, added.GetProperty("whole").GetInt32());

        foreach (var body in (string[])
            ["{\"label\":\"set\"}", "{\"label\":7}", "{\"flag\":false}", "{\"whole\":null}", "{\"whole\":\"1\"}"])
        {
            (await Client.PatchAsync(created.Location!, body)).ExpectProblem(UnprocessableEntity, "adds");
        }

        Assert.Equal(added.GetRawText(), (await Client.GetAsync(created.Location!)).Json.GetRawText());
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Fact]
    public async Task Below_records_only_what_the_table_has_and_the_query_includes_is_written()
    {
        var created = (await Client.PostAsync(
            "/records/kinds?exclude=whole", "{\"whole\":1,\"large\":2,\"tags\":[\"a\"]}")).Expect(Created).Json;
        Assert.Equal(JsonValueKind.Null, created.GetProperty("whole").ValueKind);
        Assert.Equal(2, created.GetProperty("large").GetInt32());
        var id = created.GetProperty("id").GetInt32();

        // The key of the path counts.
        var changed = (await Client.PutAsync(
            $"/records/kinds/{id}?include=whole,label", "{\"id\":1,\"whole\":3,\"large\":4}")).Expect(OK).Json;
        Assert.Equal(
            (id, 3, 2),
            (changed.GetProperty("id").GetInt32(), changed.GetProperty("whole").GetInt32(),
                changed.GetProperty("large").GetInt32()));
        changed = (await Client.PatchAsync(
            $"/records/kinds/{id},{id}?include=large", "[{\"large\":1},{\"large\":1,\"whole\":1}]")).Expect(OK).Json;
        Assert.Equal(2, changed.GetArrayLength());
        Assert.All(changed.EnumerateArray(), record => Assert.Equal(
            (3, 4), (record.GetProperty("whole").GetInt32(), record.GetProperty("large").GetInt32())));

        (await Client.PutAsync($"/records/kinds/{id},{id}", "{\"whole\":1}")).ExpectProblem(BadRequest, "brings 1");
        (await Client.PutAsync($"/records/kinds/{id}?include=secret", "{}")).ExpectProblem(BadRequest, "'secret'");
        (await Client.PutAsync($"/records/kinds/{id}?filter=id,eq,1", "{}")).ExpectProblem(BadRequest, "'filter'");
        (await Client.PutAsync($"/kinds/{id}", "{\"tags\":[]}")).ExpectProblem(BadRequest, "'tags'");
        (await Client.PutAsync($"/kinds/{id}?include=whole", "{}")).ExpectProblem(BadRequest, "'include'");
        (await Client.DeleteAsync($"/records/kinds/{id}?include=whole")).Expect(NoContent);
    }

    [Fact]
    public async Task Below_records_a_form_is_a_record()
    {
        const string Form = "whole=-1&large=9&exact=1.5&floating=2.5&flag=1&label=a+%C3%BC%26&day=2024-01-31"
            + "&data=AP8B&moment__is_null&secret=x";
        var created = (await SendFormAsync(HttpMethod.Post, "/records/kinds", Form)).Expect(Created).Json;
        var id = created.GetProperty("id").GetInt32();
        Assert.Equal((-1, 9), (created.GetProperty("whole").GetInt32(), created.GetProperty("large").GetInt32()));
        Assert.Equal("1.5000", created.GetProperty("exact").GetString());
        Assert.Equal(2.5, created.GetProperty("floating").GetDouble());
        Assert.True(created.GetProperty("flag").GetBoolean());
        Assert.Equal("a ü&", created.GetProperty("label").GetString());
        Assert.Equal("AP8B", created.GetProperty("data").GetString());
        Assert.Equal(JsonValueKind.Null, created.GetProperty("moment").ValueKind);

        var target = $"/records/kinds/{id}";
        Assert.Equal(8, (await SendFormAsync(HttpMethod.Patch, target, "large=-1")).Expect(OK)
            .Json.GetProperty("large").GetInt32());
        Assert.Equal(JsonValueKind.Null, (await SendFormAsync(HttpMethod.Put, target, "large__is_null")).Expect(OK)
            .Json.GetProperty("large").ValueKind);
        (await SendFormAsync(HttpMethod.Put, target, "whole=one")).ExpectProblem(UnprocessableEntity, "'whole'");
        (await SendFormAsync(HttpMethod.Put, target, "label__is_null")).ExpectProblem(UnprocessableEntity, "'label'");
        (await Client.SendAsync(HttpMethod.Put, target, "whole=1", "multipart/form-data; boundary=x"))
            .ExpectProblem(UnsupportedMediaType);
        (await SendFormAsync(HttpMethod.Post, "/kinds", "whole=1")).ExpectProblem(UnsupportedMediaType);

        // A browser names the page that sends it, which needs nobody's consent.
        (await SendFormAsync(HttpMethod.Post, "/records/kinds", "whole=1", "https://evil.example"))
            .ExpectProblem(Forbidden, "evil.example");
        (await SendFormAsync(HttpMethod.Post, "/records/kinds", "whole=1", "null")).ExpectProblem(Forbidden);
        (await SendFormAsync(HttpMethod.Put, target, "whole=1", "http://localhost")).Expect(OK);
        (await Client.DeleteAsync(target)).Expect(NoContent);
    }

    /// <summary>Numbered filters are alternatives; others reach related tables.</summary>
    [Theory]
    [InlineData("posts", "filter1=id,eq,1&filter2=id,eq,4", "1 4")]
    [InlineData("posts", "filter1=id,ge,2&filter1=id,le,3&filter2=title,sw,apple", "2 3 5")]
    [InlineData("posts", "filter=published,eq,true&filter1=id,eq,1&filter2=id,eq,5", "1")]
    [InlineData("posts", "filter1a=id,eq,1&filter1b=id,eq,2&filter1=published,eq,true&filter2=id,eq,5", "1 2 5")]
    [InlineData("posts", "filter1a1=id,eq,1&filter1a2=id,eq,2&filter1b=id,eq,3", "1 2 3")]
    [InlineData("posts", "filter1=id,neq,1", "2 3 4 5")]
    [InlineData("posts", "filter1=title,ncs,a&filter2=id,nlt,5", "1 5")]
    [InlineData("posts", "filter=comments.author,eq,Ann", "1 2")]
    [InlineData("posts", "filter=comments.author,neq,Ann", "2 4")]
    [InlineData("posts", "filter=categories.name,eq,recipes", "4 5")]
    [InlineData("posts", "filter=tags.name,eq,news", "1 2")]
    [InlineData("posts", "filter=tags.name,eq,news&filter=comments.author,is,null", "1")]
    [InlineData("categories", "filter=posts.tags.name,eq,food", "3")]
    [InlineData("comments", "filter=posts.categories.name,sw,art", "3 4")]
    [InlineData("tags", "filter1=posts.id,eq,4&filter2=id,eq,2", "2 3")]
    [InlineData("posts", "filter=comments.message,cs,' OR 1=1 --", "")]
    public Task Filters_of_PHP_CRUD_API_find_what_they_find_there(string table, string query, string ids) =>
        AssertFoundAsync($"/{table}?{query}&order=id", ids);

    [Theory]
    [InlineData("filter=comments.secret,eq,1", BadRequest, "'secret'")]
    [InlineData("filter=nothing.id,eq,1", NotFound, "'nothing'")]
    [InlineData("filter=kinds.id,eq,1", BadRequest, "'kinds'")]
    [InlineData("filter=comments.posts.comments.posts.id,eq,1", BadRequest, "3 tables")]
    [InlineData("filter=comments.,eq,1", BadRequest, "''")]
    [InlineData("filter=.id,eq,1", NotFound, "''")]
    [InlineData("filterx=id,eq,1", BadRequest, "'filterx'")]
    [InlineData("filter1a1a=id,eq,1", BadRequest, "'filter1a1a'")]
    [InlineData("filter1=secret,eq,1", BadRequest, "'secret'")]
    [InlineData("filter2=id,eq,1)) OR ((1=1", UnprocessableEntity, "'id'")]
    [InlineData("exclude=secret", BadRequest, "'secret'")]
    [InlineData("columns=id,title&exclude=title,id", BadRequest, "excludes every column")]
    [InlineData("size=-1", BadRequest, "page")]
    [InlineData("size=1001", BadRequest, "1000")]
    [InlineData("size=1,1", BadRequest, "page")]
    public async Task A_query_that_is_not_understood_is_refused(string query, HttpStatusCode status, string part) =>
        (await Client.GetAsync($"/posts?{query}")).ExpectProblem(status, part);

    [Fact]
    public async Task A_list_is_CSV_for_those_who_ask_for_it()
    {
        var posts = await Client.GetAsync(
            "/posts?filter=id,le,2&columns=id,title,published,created&order=id,desc&format=csv");
        Assert.Equal("text/csv", posts.Expect(OK).ContentType);
        Assert.Equal(
            "id,title,published,created\r\n2,Tables without a model,true,2024-01-02T10:30:00\r\n"
            + "1,Hello,true,2024-01-01T09:00:00\r\n",
            posts.Text);

        var created = await Client.PostAsync(
            "/comments", "{\"post_id\":3,\"author\":\"\",\"message\":\"a \\\"b\\\", c\\nd 😀\"}");
        var comments = await Client.GetAsync("/comments?filter=post_id,eq,3&exclude=id,created&format=csv");
        Assert.Equal("post_id,author,message\r\n3,\"\",\"a \"\"b\"\", c\nd 😀\"\r\n", comments.Text);
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
        var nameless = await Client.GetAsync("/comments?filter=id,eq,2&columns=id,author&format=csv");
        Assert.Equal("id,author\r\n2,\r\n", nameless.Text);

        (await Client.GetAsync("/posts?format=xml")).ExpectProblem(BadRequest, "csv or json");
        (await Client.GetAsync("/posts?format=csv&join=tags")).ExpectProblem(BadRequest, "CSV");
        (await Client.GetAsync("/posts?format=csv&filter=id,eq,x")).ExpectProblem(UnprocessableEntity, "'id'");
    }

    [Fact]
    public async Task Lists_have_a_size_and_leave_columns_out()
    {
        var list = await Client.GetAsync("/tags?size=2&exclude=is_important&order=id&filter=id,le,3");
        Assert.Equal(
            "{\"records\":[{\"id\":1,\"name\":\"news\"},{\"id\":2,\"name\":\"sql\"}],\"count\":2,\"total\":3}",
            list.Expect(OK).Text);
        Assert.Equal([3], (await Client.GetAsync("/tags?size=2&page=2&order=id&filter=id,le,3")).Ids);
        Assert.Equal(
            "{\"records\":[],\"count\":0,\"total\":3}", (await Client.GetAsync("/tags?size=0&filter=id,le,3")).Text);
        Assert.Equal(
            "{\"name\":\"news\"}", (await Client.GetAsync("/tags/1?exclude=id,is_important")).Expect(OK).Text);
        Assert.Equal("{\"name\":\"news\"}", (await Client.GetAsync("/tags/1?columns=id,name&exclude=id")).Text);
    }

    private Task<CrudAnswer> SendFormAsync(HttpMethod method, string target, string form, string? origin = null) =>
        Client.SendAsync(method, target, form, "application/x-www-form-urlencoded", origin);
}
