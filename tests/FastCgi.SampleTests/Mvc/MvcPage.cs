namespace FastCgi.SampleTests.Mvc;

/// <summary>An answer of the sample, read to its end.</summary>
internal sealed partial record MvcPage(HttpStatusCode Status, string? Location, string? ContentType, string Text)
{
    public static async Task<MvcPage> GetAsync(HttpClient browser, string target)
    {
        using var response = await browser.GetAsync(new Uri(target, UriKind.Relative)).Within($"GET {target}");
        return await ReadAsync(response);
    }

    /// <summary>Fills in the page's form, with the antiforgery token that stands in it, and sends it off.</summary>
    public static async Task<MvcPage> SubmitAsync(
        HttpClient browser, string page, string target, params (string Name, string Value)[] fields)
    {
        var token = await TokenAsync(browser, page);
        using var form = new FormUrlEncodedContent(
            [token, .. fields.Select(field => KeyValuePair.Create(field.Name, field.Value))]);
        using var response = await browser.PostAsync(new Uri(target, UriKind.Relative), form).Within($"POST {target}");
        return await ReadAsync(response);
    }

    public static async Task<KeyValuePair<string, string>> TokenAsync(HttpClient browser, string page)
    {
        var token = TokenField().Match((await GetAsync(browser, page)).Text);
        Assert.True(token.Success, $"{page} has no antiforgery token.");
        return new(TokenName, token.Groups[1].Value);
    }

    /// <summary>The fields of the page's forms that nobody types into.</summary>
    public static async Task<KeyValuePair<string, string>[]> HiddenFieldsAsync(HttpClient browser, string page)
    {
        var text = (await GetAsync(browser, page)).Text;
        return
        [
            .. HiddenField().Matches(text).Select(static field => field.Value)
                .Select(static field => KeyValuePair.Create(Attribute(field, "name"), Attribute(field, "value")))
                .DistinctBy(static field => field.Key),
        ];
    }

    private static string Attribute(string element, string name) =>
        WebUtility.HtmlDecode(Regex.Match(element, $"{name}=\"([^\"]*)\"").Groups[1].Value);

    public static async Task<MvcPage> ReadAsync(HttpResponseMessage response) => new(
        response.StatusCode,
        response.Headers.Location?.OriginalString,
        response.Content.Headers.ContentType?.ToString(),
        await response.Content.ReadAsStringAsync().Within("a page"));

    [GeneratedRegex("<input[^>]*type=\"hidden\"[^>]*>")]
    private static partial Regex HiddenField();

    private const string TokenName = "__RequestVerificationToken";

    [GeneratedRegex($"name=\"{TokenName}\" type=\"hidden\" value=\"([^\"]+)\"")]
    private static partial Regex TokenField();
}
