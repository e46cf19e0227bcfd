namespace FastCgi.SampleTests.Form;

/// <summary>An answer of the sample, read to its end.</summary>
internal sealed record FormAnswer(HttpStatusCode Status, string Html, TimeSpan? RetryAfter = null)
{
    public static async Task<FormAnswer> SendAsync(
        HttpClient client, HttpMethod method, string target, HttpContent? content = null)
    {
        using var request = new HttpRequestMessage(method, new Uri(target, UriKind.Relative)) { Content = content };
        using var response = await client.SendAsync(request).Within($"{method} {target}");
        return new FormAnswer(
            response.StatusCode, await response.Content.ReadAsStringAsync().Within("its body"),
            response.Headers.RetryAfter?.Delta);
    }

    /// <summary>What a browser shows in the element with that id.</summary>
    public string Shown(string id)
    {
        var element = Regex.Match(Html, $"id=\"{id}\">([^<]*)<");
        Assert.True(element.Success, $"There is no text with the id '{id}' in {Html}");
        return WebUtility.HtmlDecode(element.Groups[1].Value);
    }
}
