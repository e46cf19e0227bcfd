namespace FastCgi.SampleTests.Counter;

/// <summary>What the Counter sample answers before a page is live, asked of whatever serves it.</summary>
public abstract partial class CounterTests(ISampleSite site)
{
    [Theory]
    [InlineData("", "<title>Counter</title>")]
    [InlineData("counter", "id=\"count\">0</p>")]
    [InlineData("live", "Time of the server")]
    [InlineData("counter", "<noscript><p>This page counts on the server and needs JavaScript")]
    public async Task A_page_is_rendered_before_it_is_live(string page, string part)
    {
        var html = await site.Client.GetStringAsync(new Uri(page, UriKind.Relative)).Within($"/{page}");

        Assert.Contains(part, html, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_file_of_a_page_is_there_under_a_name_that_changes_with_it()
    {
        var html = await site.Client.GetStringAsync(new Uri("counter", UriKind.Relative)).Within("the page");

        var files = Files().Matches(html).Select(static match => match.Groups["name"].Value).Distinct().ToList();
        Assert.Equal(4, files.Count);
        foreach (var file in files)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(file, UriKind.Relative));
            request.Headers.AcceptEncoding.ParseAdd("gzip");
            using var response = await site.Client.SendAsync(request).Within(file);
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.Equal("gzip", Assert.Single(response.Content.Headers.ContentEncoding));
            Assert.NotEmpty(await response.Content.ReadAsByteArrayAsync().Within("its body"));
        }
    }

    [Fact]
    public async Task Another_target_is_not_found()
    {
        using var response = await site.Client.GetAsync(new Uri("counters", UriKind.Relative)).Within("an answer");

        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Contains(
            "There is no such page.", await response.Content.ReadAsStringAsync().Within("its page"),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_asks_for_the_head_of_a_page_gets_it()
    {
        using var request = new HttpRequestMessage(HttpMethod.Head, new Uri("counter", UriKind.Relative));
        using var response = await site.Client.SendAsync(request).Within("the head");

        Assert.Equal(
            (HttpStatusCode.OK, "text/html"), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        Assert.Empty(await response.Content.ReadAsByteArrayAsync().Within("no body"));
    }

    [GeneratedRegex("(?:href|src)=\"(?<name>[^\"]+\\.[a-z0-9]{10}\\.[a-z]+)\"")]
    private static partial Regex Files();
}
