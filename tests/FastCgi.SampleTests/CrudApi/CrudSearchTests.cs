using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>What <see cref="CrudTests"/> expects of the search in all columns with text.</summary>
public abstract class CrudSearchTests(CrudSite site) : CrudJoinTests(site)
{
    [Theory]
    [InlineData("posts", "search=hello", "1")]
    [InlineData("posts", "search=HALF AN HOUR", "4")]
    [InlineData("posts", "search=the", "1 2 3 4 5")]
    [InlineData("posts", "search=the&filter=published,eq,true", "1 2 3 4")]
    [InlineData("posts", "search=the&filter1=id,eq,2&filter2=id,eq,3&filter3=id,eq,5", "2 3 5")]
    [InlineData("posts", "search=the&search=read", "2")]
    [InlineData("posts", "search=100%25", "5")]
    [InlineData("posts", "search=_", "")]
    [InlineData("posts", "search=<angle", "3")]
    [InlineData("posts", "search=' OR 1=1 --", "")]
    [InlineData("posts", "search=cs,pan", "")]
    [InlineData("comments", "search=Ann", "1 4")]
    [InlineData("comments", "search=first", "2")]
    [InlineData("tags", "search=1", "")]
    public Task A_search_looks_into_all_columns_with_text(string table, string query, string ids) =>
        AssertFoundAsync($"/{table}?{query}&order=id", ids);

    [Theory]
    [InlineData("/pairs?search=1", "'pairs'")]
    [InlineData("/posts?search=", "needs a text")]
    [InlineData("/posts?search=a%00b", "needs a text")]
    [InlineData("/posts/1?search=hello", "'search'")]
    public async Task A_search_that_cannot_be_is_refused(string target, string part) =>
        (await Client.GetAsync(target)).ExpectProblem(BadRequest, part);
}
