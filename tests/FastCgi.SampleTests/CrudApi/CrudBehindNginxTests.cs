using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>The sample through nginx and our server.</summary>
public sealed class CrudBehindNginxTests(CrudBehindNginx site) : IClassFixture<CrudBehindNginx>
{
    [Fact]
    public async Task Refusals_arrive_as_problems()
    {
        using var client = site.CreateClient();
        (await client.GetAsync("/nothing")).ExpectProblem(NotFound);
        (await client.GetAsync("/posts?columns=secret")).ExpectProblem(BadRequest, "'secret'");
        (await client.PatchAsync("/posts/1", "{\"published\":7}")).ExpectProblem(UnprocessableEntity, "'published'");
        (await client.DeleteAsync("/categories/1")).ExpectProblem(Conflict);
        var view = await client.PostAsync("/published_posts", "{}");
        Assert.Equal("GET, HEAD", view.ExpectProblem(MethodNotAllowed).Allow);
        (await client.PostAsync("/tags", new string(' ', 2 * 1024 * 1024))).ExpectProblem(RequestEntityTooLarge);
    }

    [Fact]
    public async Task A_single_record_has_its_length_in_the_head_also_for_HEAD()
    {
        using var client = site.CreateClient();
        var length = (await client.GetAsync("/posts/2")).Text.Length;
        foreach (var method in (HttpMethod[])[HttpMethod.Get, HttpMethod.Head])
        {
            using var request = new HttpRequestMessage(method, new Uri("/posts/2", UriKind.Relative));
            using var response = await client.Http.SendAsync(request).Within("its head");
            Assert.Equal(length, response.Content.Headers.ContentLength);
        }
    }

    [Fact]
    public async Task The_page_and_its_document_work_below_another_path()
    {
        using var directory = new WorkDirectory();
        await using var below =
            await CrudBehindNginx.StartWithAsync("--data", directory.File("data"), "--FastCgi:PathBase", "/blog/api");
        using var client = new CrudClient(below.CreateBrowser());
        (await client.GetAsync("/blog/api/")).Expect(OK);
        (await client.GetAsync("/blog/api/swagger-ui.css")).Expect(OK);
        var bare = await client.GetAsync("/blog/api");
        Assert.EndsWith("/blog/api/", bare.Expect(PermanentRedirect).Location, StringComparison.Ordinal);
        var document = (await client.GetAsync("/blog/api/openapi.json")).Expect(OK).Json;
        Assert.Equal("/blog/api", document.GetProperty("servers")[0].GetProperty("url").GetString());
        var created = (await client.PostAsync("/blog/api/tags", "{\"name\":\"below\"}")).Expect(Created);
        Assert.Equal("/blog/api/tags/4", created.Location);
        (await client.GetAsync(created.Location!)).Expect(OK);
    }

    [Fact]
    public async Task What_was_written_is_there_after_a_restart()
    {
        using var client = site.CreateClient();
        (await client.PostAsync("/tags", "{\"name\":\"lasting\"}")).Expect(Created);
        Assert.Equal(0, await site.Site.StopAsync());
        await site.Site.StartAgainAsync();
        (await client.PostAsync("/tags", "{\"name\":\"lasting\"}")).Expect(Conflict);
    }
}
