using System.Net.Http.Headers;
using System.Net.Http.Json;

namespace FastCgi.SampleTests.Mvc;

/// <summary>What the Mvc sample does, asked of whatever serves it.</summary>
public abstract partial class MvcTests(ISampleSite site) : IDisposable
{
    private readonly HttpClient _browser = site.CreateBrowser();

    [Theory]
    [InlineData("/")]
    [InlineData("/notes")]
    [InlineData("/files")]
    [InlineData("/account/sign-in")]
    public async Task Who_asks_for_the_head_of_a_page_gets_it(string target)
    {
        using var request = new HttpRequestMessage(HttpMethod.Head, new Uri(target, UriKind.Relative));
        using var response = await _browser.SendAsync(request).Within("the head");

        Assert.Equal(
            (HttpStatusCode.OK, "text/html"), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
    }

    [Fact]
    public async Task The_start_page_counts_visits_in_the_session()
    {
        using var stranger = site.CreateBrowser();
        for (var visit = 1; visit <= 3; visit++)
        {
            var page = await MvcPage.GetAsync(_browser, "/");
            Assert.Contains($"<strong id=\"visits\">{visit}</strong>", page.Text, StringComparison.Ordinal);
        }

        var other = await MvcPage.GetAsync(stranger, "/");
        Assert.Contains("<strong id=\"visits\">1</strong>", other.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_note_is_written_by_form_and_shown_encoded()
    {
        var author = $"Zoë <{Guid.NewGuid():N}>"[..30];
        var sent = await MvcPage.SubmitAsync(
            _browser, "/notes", "/notes", ("Input.Author", author), ("Input.Text", "<script>alert(1)</script>"));
        Assert.Equal((HttpStatusCode.Redirect, "/notes"), (sent.Status, sent.Location));

        var page = (await MvcPage.GetAsync(_browser, "/notes")).Text;
        Assert.Contains($"Thank you, {author}.", WebUtility.HtmlDecode(page), StringComparison.Ordinal);
        Assert.DoesNotContain("<script>alert(1)", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_note_without_a_text_comes_back_with_what_is_wrong()
    {
        var page = await MvcPage.SubmitAsync(
            _browser, "/notes", "/notes", ("Input.Author", "Somebody"), ("Input.Website", "no address"));
        Assert.Equal(HttpStatusCode.OK, page.Status);
        Assert.Contains("Please write something.", page.Text, StringComparison.Ordinal);
        Assert.Contains("value=\"Somebody\"", page.Text, StringComparison.Ordinal);
        Assert.Matches("(?s)<input[^>]*aria-invalid=\"true\" autofocus[^>]*>", page.Text);
        Assert.Equal(2, page.Text.Split("aria-invalid").Length - 1);
        Assert.Equal(1, page.Text.Split("autofocus").Length - 1);
        Assert.True(
            page.Text.IndexOf("<label for=\"Input_Website\"", StringComparison.Ordinal)
            < page.Text.IndexOf("A website begins with https:// or http://.", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Input.Website", "ftp://example.org/", "A website begins with https:// or http://.")]
    [InlineData("Input.Website", "http://", "A website begins with https:// or http://.")]
    [InlineData("Input.Website", "javascript:alert(1)", "A website begins with https:// or http://.")]
    [InlineData("Input.Text", "\u200B\u2800", "Please write something that can be seen.")]
    [InlineData("Input.Author", "\u3164\u200D", "Please enter a name that can be seen.")]
    public async Task A_note_that_cannot_be_seen_or_links_elsewhere_is_refused(string field, string value, string words)
    {
        (string Name, string Value)[] fields = [("Input.Author", "Somebody"), ("Input.Text", "A note")];

        var page = await MvcPage.SubmitAsync(
            _browser, "/notes", "/notes", [.. fields.Where(other => other.Name != field), (field, value)]);

        Assert.Equal(HttpStatusCode.OK, page.Status);
        Assert.Contains(words, page.Text, StringComparison.Ordinal);
        Assert.Equal(1, page.Text.Split("aria-invalid").Length - 1);
    }

    [Theory]
    [InlineData("HTTPS://example.org/ä?x=1")]
    [InlineData("http://[2001:db8::1]:8080/")]
    public async Task A_website_on_the_web_is_taken(string website)
    {
        var page = await MvcPage.SubmitAsync(
            _browser, "/notes", "/notes", ("Input.Author", "👩‍🚀!"), ("Input.Text", "☕"), ("Input.Website", website));
        Assert.Equal(HttpStatusCode.Redirect, page.Status);
    }

    [Fact]
    public async Task All_notes_can_be_reached_page_by_page()
    {
        var author = $"Paged {Guid.NewGuid():N}"[..30];
        for (var i = 0; i < 101; i++)
        {
            using var created = await _browser
                .PostAsJsonAsync(new Uri("/api/notes", UriKind.Relative), new { author, text = $"Note {i}." })
                .Within("a note");
            Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        }

        var first = await MvcPage.GetAsync(_browser, "/notes");
        Assert.Equal(50, first.Text.Split("<article").Length - 1);
        Assert.DoesNotContain("id=\"newest\"", first.Text, StringComparison.Ordinal);
        HashSet<string> seen = [];
        var page = first;
        while (Older().Match(page.Text) is { Success: true } older)
        {
            seen.UnionWith(Numbers().Matches(page.Text).Select(static match => match.Value));
            page = await MvcPage.GetAsync(_browser, older.Groups[1].Value);
            Assert.Contains("id=\"newest\"", page.Text, StringComparison.Ordinal);
        }

        seen.UnionWith(Numbers().Matches(page.Text).Select(static match => match.Value));
        Assert.Subset(seen, Enumerable.Range(0, 101).Select(static i => $"Note {i}.").ToHashSet());
        var end = await MvcPage.GetAsync(_browser, "/notes?before=1");
        Assert.Contains("There are no older notes.", end.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_double_click_writes_one_note()
    {
        var author = $"Twice {Guid.NewGuid():N}"[..30];
        var fields = await MvcPage.HiddenFieldsAsync(_browser, "/notes");

        async Task<HttpStatusCode> WriteAsync()
        {
            using var form = new FormUrlEncodedContent(
                [.. fields, new("Input.Author", author), new("Input.Text", "One note")]);
            using var response = await _browser.PostAsync(new Uri("/notes", UriKind.Relative), form).Within("the note");
            return response.StatusCode;
        }

        var answers = await Task.WhenAll(WriteAsync(), WriteAsync(), WriteAsync());

        Assert.All(answers, answer => Assert.Equal(HttpStatusCode.Redirect, answer));
        var notes = (await MvcPage.GetAsync(_browser, "/api/notes")).Text;
        Assert.Equal(1, notes.Split(author).Length - 1);
    }

    [Theory]
    [InlineData(500, HttpStatusCode.Redirect)]
    [InlineData(501, HttpStatusCode.OK)]
    public async Task A_line_break_counts_as_one_character_of_a_note(int length, HttpStatusCode status)
    {
        var lines = string.Join("\r\n", Enumerable.Repeat(new string('x', 9), 50)) + new string('y', length - 499);
        var page = await MvcPage.SubmitAsync(
            _browser, "/notes", "/notes", ("Input.Author", "Somebody"), ("Input.Text", lines));
        Assert.Equal(status, page.Status);
    }

    [Fact]
    public async Task Deleting_asks_first_also_when_one_has_to_sign_in_for_it()
    {
        using var writer = site.CreateBrowser();
        var author = $"Gone {Guid.NewGuid():N}"[..30];
        await MvcPage.SubmitAsync(
            writer, "/notes", "/notes", ("Input.Author", author), ("Input.Text", "Delete me"));
        var notes = await writer.GetFromJsonAsync<JsonElement>(new Uri("/api/notes?take=100", UriKind.Relative))
            .Within("the notes");
        var id = notes.EnumerateArray().First(note => note.GetProperty("author").GetString() == author)
            .GetProperty("id").GetInt32();

        // As after the sign-in has run out: the button was on the page all the same.
        var refused = await MvcPage.SubmitAsync(writer, "/notes", $"/notes/{id}/delete");
        Assert.Equal($"http://localhost/account/sign-in?ReturnUrl=%2Fnotes%2F{id}%2Fdelete", refused.Location);
        var signedIn = await MvcPage.SubmitAsync(
            writer,
            "/account/sign-in",
            "/account/sign-in",
            ("UserName", "demo"),
            ("Password", "fastcgi"),
            ("ReturnUrl", $"/notes/{id}/delete"));
        var asked = await MvcPage.GetAsync(writer, signedIn.Location!);
        Assert.Equal(HttpStatusCode.OK, asked.Status);
        Assert.Contains("Delete this note?", asked.Text, StringComparison.Ordinal);
        Assert.Contains(author, (await MvcPage.GetAsync(writer, "/notes")).Text, StringComparison.Ordinal);

        var deleted = await MvcPage.SubmitAsync(writer, $"/notes/{id}/delete", $"/notes/{id}/delete");
        Assert.Equal((HttpStatusCode.Redirect, "/notes"), (deleted.Status, deleted.Location));
        Assert.Equal(HttpStatusCode.NotFound, (await MvcPage.GetAsync(writer, $"/api/notes/{id}")).Status);
        Assert.Equal(HttpStatusCode.NotFound, (await MvcPage.GetAsync(writer, $"/notes/{id}/delete")).Status);
    }

    [Fact]
    public async Task A_form_without_its_token_is_refused()
    {
        using var form = new FormUrlEncodedContent([new("Input.Author", "Somebody"), new("Input.Text", "text")]);
        using var response = await _browser.PostAsync(new Uri("/notes", UriKind.Relative), form).Within("an answer");
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
    }

    [Fact]
    public async Task The_account_page_is_for_those_who_sign_in()
    {
        var refused = await MvcPage.GetAsync(_browser, "/account");
        Assert.Equal(
            (HttpStatusCode.Redirect, "http://localhost/account/sign-in?ReturnUrl=%2Faccount"),
            (refused.Status, refused.Location));

        var wrong = await MvcPage.SubmitAsync(
            _browser, "/account/sign-in", "/account/sign-in", ("UserName", "demo"), ("Password", "wrong"));
        Assert.Contains("User name or password is wrong.", wrong.Text, StringComparison.Ordinal);

        var right = await SignInAsync();
        Assert.Equal((HttpStatusCode.Redirect, "/account"), (right.Status, right.Location));
        Assert.Contains("<dd>demo</dd>", (await MvcPage.GetAsync(_browser, "/account")).Text, StringComparison.Ordinal);

        await MvcPage.SubmitAsync(_browser, "/account", "/account/sign-out");
        Assert.Equal(HttpStatusCode.Redirect, (await MvcPage.GetAsync(_browser, "/account")).Status);
    }

    [Fact]
    public async Task A_file_is_uploaded_and_downloaded_whole_and_in_part()
    {
        var bytes = new byte[3_000_000];
        new Random(1).NextBytes(bytes);
        var name = $"{Guid.NewGuid():N}.bin";
        await SignInAsync();
        Assert.Equal(HttpStatusCode.Redirect, (await UploadAsync(name, bytes)).Status);

        var target = new Uri($"/files/{name}", UriKind.Relative);
        Assert.Equal(bytes, await _browser.GetByteArrayAsync(target).Within("the file"));

        using var resume = new HttpRequestMessage(HttpMethod.Get, target);
        resume.Headers.Range = new RangeHeaderValue(2_500_000, null);
        using var rest = await _browser.SendAsync(resume).Within("the rest of the file");
        Assert.Equal(HttpStatusCode.PartialContent, rest.StatusCode);
        Assert.Equal(bytes[2_500_000..], await rest.Content.ReadAsByteArrayAsync().Within("its body"));

        using var ask = new HttpRequestMessage(HttpMethod.Head, target);
        using var head = await _browser.SendAsync(ask).Within("the file's head");
        Assert.Equal(bytes.Length, head.Content.Headers.ContentLength);

        using var again = new HttpRequestMessage(HttpMethod.Get, target);
        again.Headers.IfNoneMatch.Add(head.Headers.ETag!);
        using var unchanged = await _browser.SendAsync(again).Within("the unchanged file");
        Assert.Equal(HttpStatusCode.NotModified, unchanged.StatusCode);

        await MvcPage.SubmitAsync(_browser, "/files", $"/files/{name}/delete");
        Assert.Equal(HttpStatusCode.NotFound, (await MvcPage.GetAsync(_browser, $"/files/{name}")).Status);
    }

    [Theory]
    [InlineData("a.", 78)]
    [InlineData("", 80)]
    public async Task Files_of_one_long_name_are_all_kept(string beginning, int rest)
    {
        var name = beginning + Guid.NewGuid().ToString("N").PadRight(rest, 'x');
        await SignInAsync();

        HashSet<string> saved = [];
        for (var i = 0; i < 13; i++)
        {
            Assert.Equal(HttpStatusCode.Redirect, (await UploadAsync(name, [1])).Status);
            var kept = SavedName().Match((await MvcPage.GetAsync(_browser, "/files")).Text).Groups[1].Value;
            Assert.True(saved.Add(kept), $"'{kept}' was saved twice.");
            Assert.Equal(HttpStatusCode.OK, (await MvcPage.GetAsync(_browser, $"/files/{kept}")).Status);
        }
    }

    [Fact]
    public async Task An_upload_of_a_stranger_is_sent_to_sign_in()
    {
        var page = await UploadAsync("a.bin", new byte[100_000], tokenPage: "/notes");
        Assert.Equal(HttpStatusCode.Redirect, page.Status);
        Assert.StartsWith("http://localhost/account/sign-in", page.Location, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Notes_are_JSON_to_programs()
    {
        using var program = site.CreateBrowser();
        using var created = await program
            .PostAsJsonAsync(new Uri("/api/notes", UriKind.Relative), new { author = "A program", text = "Grüße" })
            .Within("the new note");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        var address = created.Headers.Location!;
        Assert.StartsWith("http://localhost/api/notes/", address.ToString(), StringComparison.OrdinalIgnoreCase);

        var note = await program.GetFromJsonAsync<JsonElement>(address.PathAndQuery).Within("the note");
        Assert.Equal("Grüße", note.GetProperty("text").GetString());

        using var wrong = await program
            .PostAsJsonAsync(new Uri("/api/notes", UriKind.Relative), new { author = "" }).Within("the refusal");
        Assert.Equal(
            (HttpStatusCode.BadRequest, "application/problem+json"),
            (wrong.StatusCode, wrong.Content.Headers.ContentType?.MediaType));
    }

    [Fact]
    public async Task Failures_are_pages_to_people_and_problems_to_programs()
    {
        var failed = await MvcPage.GetAsync(_browser, "/fail");
        Assert.Equal(
            (HttpStatusCode.InternalServerError, "text/html; charset=utf-8"), (failed.Status, failed.ContentType));
        Assert.Contains("Something broke on our side.", failed.Text, StringComparison.Ordinal);

        var missing = await MvcPage.GetAsync(_browser, "/nowhere");
        Assert.Equal((HttpStatusCode.NotFound, "text/html; charset=utf-8"), (missing.Status, missing.ContentType));

        var problem = await MvcPage.GetAsync(_browser, "/api/nowhere");
        Assert.Equal(HttpStatusCode.NotFound, problem.Status);
        Assert.StartsWith("application/problem+json", problem.ContentType, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Static_files_and_the_health_check_are_there()
    {
        var sheet = await MvcPage.GetAsync(_browser, "/site.css");
        Assert.Equal((HttpStatusCode.OK, "text/css"), (sheet.Status, sheet.ContentType?.Split(';')[0]));
        Assert.Equal("Healthy", (await MvcPage.GetAsync(_browser, "/health")).Text);
    }

    public void Dispose() => _browser.Dispose();

    private Task<MvcPage> SignInAsync() => MvcPage.SubmitAsync(
        _browser,
        "/account/sign-in?returnUrl=%2Faccount",
        "/account/sign-in",
        ("UserName", "demo"),
        ("Password", "fastcgi"),
        ("ReturnUrl", "/account"));

    private async Task<MvcPage> UploadAsync(string name, byte[] bytes, string tokenPage = "/files")
    {
        var (tokenName, token) = await MvcPage.TokenAsync(_browser, tokenPage);
        using var form = new MultipartFormDataContent();
        form.Add(new StringContent(token), tokenName);
        var file = new ByteArrayContent(bytes);
        file.Headers.ContentType = new MediaTypeHeaderValue("application/octet-stream");
        form.Add(file, "file", name);
        using var response = await _browser.PostAsync(new Uri("/files", UriKind.Relative), form).Within("the upload");
        return await MvcPage.ReadAsync(response);
    }

    [GeneratedRegex("id=\"older\" href=\"([^\"]*)\"")]
    private static partial Regex Older();

    [GeneratedRegex("Saved as ([^<]+)\\.")]
    private static partial Regex SavedName();

    [GeneratedRegex(@"Note \d+\.")]
    private static partial Regex Numbers();
}
