using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>What <see cref="CrudTests"/> expects of joins, and of numbers that are incremented.</summary>
public abstract class CrudJoinTests(CrudSite site) : CrudMovingTests(site)
{
    [Theory]
    [InlineData(
        "/posts/1?join=categories&columns=id,category_id",
        "{\"id\":1,\"category_id\":{\"id\":1,\"name\":\"announcements\"}}")]
    [InlineData(
        "/categories/1?join=posts&columns=id,posts.title",
        "{\"id\":1,\"posts\":[{\"title\":\"Hello\",\"category_id\":1}]}")]
    [InlineData(
        "/posts/2?join=tags&columns=id,tags.*&exclude=tags.is_important",
        "{\"id\":2,\"tags\":[{\"id\":1,\"name\":\"news\"},{\"id\":2,\"name\":\"sql\"}]}")]
    [InlineData(
        "/comments/1?join=posts,categories&columns=id,posts.id,posts.category_id",
        "{\"id\":1,\"post_id\":{\"id\":1,\"category_id\":{\"id\":1,\"name\":\"announcements\"}}}")]
    [InlineData(
        "/categories/1?join=posts,comments&join=posts,tags&columns=id,posts.id,comments.id,tags.name",
        "{\"id\":1,\"posts\":[{\"id\":1,\"category_id\":1,\"comments\":[{\"id\":1,\"post_id\":1},"
        + "{\"id\":2,\"post_id\":1}],\"tags\":[{\"name\":\"news\",\"id\":1}]}]}")]
    [InlineData(
        "/categories/1?join=posts&include=*,posts.id",
        "{\"id\":1,\"name\":\"announcements\",\"posts\":[{\"id\":1,\"category_id\":1}]}")]
    [InlineData(
        "/posts/2?join=tags&include=*.*&exclude=content,title,published,created,category_id,tags.is_important",
        "{\"id\":2,\"tags\":[{\"id\":1,\"name\":\"news\"},{\"id\":2,\"name\":\"sql\"}]}")]
    [InlineData("/tags/1?include=*&exclude=tags.is_important", "{\"id\":1,\"name\":\"news\"}")]
    [InlineData("/tags/1?include=tags.name", "{\"name\":\"news\"}")]
    [InlineData("/tags/1?exclude=tags.id,tags.is_important", "{\"name\":\"news\"}")]
    [InlineData(
        "/posts/3?join=comments&join=tags&columns=id", "{\"id\":3,\"comments\":[],\"tags\":[]}")]
    [InlineData(
        "/posts/4,1?join=comments&columns=id,comments.author",
        "[{\"id\":4,\"comments\":[{\"author\":\"Cho\",\"post_id\":4}]},"
        + "{\"id\":1,\"comments\":[{\"author\":\"Ann\",\"post_id\":1},{\"author\":null,\"post_id\":1}]}]")]
    [InlineData(
        "/records/posts?join=categories&columns=id&filter=id,ge,4&filter=id,le,5&order=id,desc&count=false",
        "{\"records\":[{\"id\":5,\"category_id\":{\"id\":3}},{\"id\":4,\"category_id\":{\"id\":3}}],\"count\":2}")]
    [InlineData(
        "/records/posts/1?join=comments&include=comments.author",
        "{\"id\":1,\"comments\":[{\"author\":\"Ann\",\"post_id\":1},{\"author\":null,\"post_id\":1}]}")]
    public async Task Records_of_other_tables_are_put_in(string target, string json) =>
        Assert.Equal(json, (await Client.GetAsync(target)).Expect(OK).Text);

    [Theory]
    [InlineData("/posts?join=nothing", NotFound, "'nothing'")]
    [InlineData("/posts?join=kinds", BadRequest, "'kinds'")]
    [InlineData("/posts?join=comments,tags", BadRequest, "'tags'")]
    [InlineData("/posts?join=", NotFound, "''")]
    [InlineData("/posts?join=posts;DROP TABLE posts", NotFound, "DROP")]
    [InlineData("/posts?join=comments,posts,comments,posts", BadRequest, "3 tables")]
    [InlineData("/posts?columns=comments.id", BadRequest, "'comments.id'")]
    [InlineData("/posts?join=comments&columns=comments.secret", BadRequest, "'comments.secret'")]
    [InlineData("/posts?columns=comments.*", BadRequest, "'comments.*'")]
    [InlineData("/posts?columns=*.id", BadRequest, "'*.id'")]
    [InlineData("/posts?exclude=*", BadRequest, "excludes every column")]
    [InlineData("/posts/999?join=comments", NotFound, "'999'")]
    public async Task A_join_that_cannot_be_is_refused(string target, System.Net.HttpStatusCode status, string part) =>
        (await Client.GetAsync(target)).ExpectProblem(status, part);

    [Fact]
    public async Task Names_and_texts_of_every_kind_survive_a_join()
    {
        var created = (await Client.PostAsync(
            "/comments", "{\"post_id\":3,\"message\":\"\\\"'`😀\\\\\\n<b>\",\"created\":\"2024-02-29T23:59:58\"}"))
            .Expect(Created);
        var joined = (await Client.GetAsync("/posts/3?join=comments&columns=id,comments.*")).Expect(OK);
        Assert.Equal($"{{\"id\":3,\"comments\":[{created.Text}]}}", joined.Text);
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Fact]
    public async Task PATCH_increments_numbers()
    {
        var created = (await Client.PostAsync("/kinds", "{\"whole\":5,\"large\":null,\"exact\":1.5,\"floating\":1}"))
            .Expect(Created);
        var changed = (await Client.PatchAsync(
            created.Location!,
            "{\"whole\":{\"increment\":-7},\"large\":{\"increment\":1},\"exact\":{\"increment\":0.25},"
            + "\"floating\":{\"increment\":0.5}}")).Expect(OK).Json;
        Assert.Equal(-2, changed.GetProperty("whole").GetInt32());
        Assert.Equal(System.Text.Json.JsonValueKind.Null, changed.GetProperty("large").ValueKind);
        Assert.Equal("1.7500", changed.GetProperty("exact").GetString());
        Assert.Equal(1.5, changed.GetProperty("floating").GetDouble());

        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ =>
            Client.PatchAsync(created.Location!, "{\"whole\":{\"increment\":1}}")));
        Assert.All(answers, answer => answer.Expect(OK));
        Assert.Equal(18, (await Client.GetAsync(created.Location!)).Json.GetProperty("whole").GetInt32());
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }

    [Theory]
    [InlineData("PATCH", "{\"whole\":{\"increment\":\"1\"}}")]
    [InlineData("PATCH", "{\"whole\":{\"increment\":1.5}}")]
    [InlineData("PATCH", "{\"whole\":{\"increment\":1,\"by\":2}}")]
    [InlineData("PATCH", "{\"whole\":{\"decrement\":1}}")]
    [InlineData("PUT", "{\"whole\":{\"increment\":1}}")]
    public async Task An_increment_that_cannot_be_is_refused(string method, string json)
    {
        var created = (await Client.PostAsync("/kinds", "{\"whole\":5}")).Expect(Created);
        (await Client.SendAsync(new HttpMethod(method), created.Location!, json))
            .ExpectProblem(UnprocessableEntity, "'whole'");
        (await Client.PatchAsync(created.Location!, "{\"label\":{\"increment\":1}}"))
            .ExpectProblem(UnprocessableEntity, "'label'");
        (await Client.PostAsync("/kinds", "{\"whole\":{\"increment\":1}}")).ExpectProblem(UnprocessableEntity, "'whole'");
        (await Client.DeleteAsync(created.Location!)).Expect(NoContent);
    }
}
