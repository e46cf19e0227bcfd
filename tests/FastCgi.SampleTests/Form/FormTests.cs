namespace FastCgi.SampleTests.Form;

/// <summary>What the Form sample does, asked of whatever serves it.</summary>
public abstract class FormTests(ISampleSite site, string clientAddress)
{
    [Fact]
    public async Task The_page_shows_the_request_and_the_form()
    {
        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Get, "/hello?a=1");

        Assert.Equal(HttpStatusCode.OK, page.Status);
        Assert.Equal("/hello?a=1", page.Shown("uri"));
        Assert.Equal("GET", page.Shown("method"));
        Assert.Equal(clientAddress, page.Shown("address"));
        Assert.Equal("", page.Shown("posted"));
        Assert.Contains("<form method=\"post\">", page.Html, StringComparison.Ordinal);
        Assert.Contains("<input name=\"data\"", page.Html, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_form_in_UTF8_is_shown_as_it_was_typed()
    {
        const string Typed = "Grüße aus Zürich, 世界 😀 & +1 = 100 %";
        using var form = new FormUrlEncodedContent([new("data", Typed)]);

        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Post, "/", form);

        Assert.Equal("POST", page.Shown("method"));
        Assert.Equal($"data: {Typed}", page.Shown("posted"));
    }

    [Theory]
    [InlineData("<script>alert(1)</script>")]
    [InlineData("\"><img src=x onerror=alert(1)>")]
    [InlineData("</pre><svg onload='alert(1)'>")]
    public async Task What_came_with_the_request_is_encoded(string attack)
    {
        using var form = new FormUrlEncodedContent([new("data", attack), new(attack, "name")]);

        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Post, $"/?{Uri.EscapeDataString(attack)}", form);

        Assert.DoesNotContain(attack, page.Html, StringComparison.Ordinal);
        Assert.Equal($"data: {attack}\n{attack}: name", page.Shown("posted"));
    }

    [Fact]
    public async Task A_body_that_is_no_form_is_shown_as_text()
    {
        using var text = new StringContent("""{"city":"Zürich <b>"}""", Encoding.UTF8, "application/json");

        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Put, "/", text);

        Assert.Equal("""{"city":"Zürich <b>"}""", page.Shown("posted"));
    }

    /// <summary>A body may have eight megabytes, and a quote takes six characters in the page.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Of_a_long_body_the_beginning_is_shown(bool isForm)
    {
        var text = new string('"', 2_500_000);
        using HttpContent content = isForm ? new FormUrlEncodedContent([new("data", text)]) : new StringContent(text);

        var page = await FormAnswer.SendAsync(site.Client, HttpMethod.Post, "/", content);

        Assert.Equal(HttpStatusCode.OK, page.Status);
        Assert.Equal((isForm ? $"data: {text}" : text)[..65_536], page.Shown("posted"));
        Assert.Contains("first 65536 characters", page.Html, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_form_that_is_cut_off_is_refused()
    {
        using var form = new StringContent("--x\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nhalf");
        form.Headers.Remove("Content-Type");
        form.Headers.TryAddWithoutValidation("Content-Type", "multipart/form-data; boundary=x");

        var answer = await FormAnswer.SendAsync(site.Client, HttpMethod.Post, "/", form);

        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Contains("cut off", answer.Html, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_form_of_too_many_fields_is_refused()
    {
        using var form = new FormUrlEncodedContent(
            Enumerable.Range(0, 5000).Select(static number => KeyValuePair.Create($"field{number}", "x")));

        var answer = await FormAnswer.SendAsync(site.Client, HttpMethod.Post, "/", form);

        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Contains("more fields", answer.Html, StringComparison.Ordinal);
    }
}
