namespace FastCgi.SampleTests.Wave;

/// <summary>What the Wave sample does, asked of whatever serves it.</summary>
public abstract class WaveTests(ISampleSite site, string server)
{
    private const string Json = """{"message":"Hello, World!"}""";

    [Theory]
    [InlineData("plaintext", "text/plain", "Hello, World!")]
    [InlineData("json", "application/json", Json)]
    [InlineData("mvc/plaintext", "text/plain", "Hello, World!")]
    [InlineData("mvc/json", "application/json", Json)]
    public async Task A_route_answers_what_it_is_measured_by(string target, string type, string body)
    {
        using var response = await site.Client.GetAsync(new Uri(target, UriKind.Relative)).Within(target);

        Assert.Equal(
            (HttpStatusCode.OK, type), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        Assert.Equal(body, await response.Content.ReadAsStringAsync().Within("its body"));
    }

    [Theory]
    [InlineData("plaintext")]
    [InlineData("json")]
    public async Task A_route_sends_the_same_bytes_with_MVC_and_without(string route)
    {
        Assert.Equal(await HeadAndBodyAsync(route), await HeadAndBodyAsync($"mvc/{route}"));

        async Task<string> HeadAndBodyAsync(string target)
        {
            using var response = await site.Client.GetAsync(
                new Uri(target, UriKind.Relative), HttpCompletionOption.ResponseHeadersRead).Within(target);
            var headers = response.Content.Headers;
            return $"{headers.ContentType} {headers.ContentLength} {await response.Content.ReadAsStringAsync()}";
        }
    }

    [Fact]
    public async Task The_page_lists_every_route_and_names_the_server()
    {
        var page = await site.Client.GetStringAsync(new Uri("", UriKind.Relative)).Within("the page");

        foreach (var route in new[] { "/plaintext", "/json", "/mvc/plaintext", "/mvc/json" })
        {
            Assert.Contains($"<a href=\"{route}\">", page, StringComparison.Ordinal);
        }

        Assert.Contains($"Served by <code>{server}", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_target_is_not_found()
    {
        using var response = await site.Client.GetAsync(new Uri("plaintexts", UriKind.Relative)).Within("an answer");

        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }
}
