namespace FastCgi.SampleTests.Mvc;

/// <summary>The sample behind the nginx.conf that lies beside it.</summary>
public sealed class MvcBehindItsNginx : ServedSample
{
    /// <summary>Development, where styles come out of the project before it is published.</summary>
    private protected override Task<ProcessSite> StartAsync(string data) => SampleProgram.StartBehindNginxAsync(
        "Mvc", arguments: ["--environment", "Development", "--data", data]);
}

/// <summary>It is used there also in a real browser.</summary>
public sealed partial class MvcBehindItsNginxTests(MvcBehindItsNginx site, Browsers browsers)
    : IClassFixture<MvcBehindItsNginx>
{
    [Fact]
    public async Task The_number_on_the_error_page_is_in_the_log()
    {
        // The first page of the process, with whatever else the machine does.
        using var response = await site.Client.GetAsync(new Uri("fail", UriKind.Relative))
            .Within("the error page", deadline: TimeSpan.FromSeconds(30));
        var page = await response.Content.ReadAsStringAsync().Within("its text");
        var number = NumberOnPage().Match(page).Groups[1].Value;

        Assert.NotEmpty(number);
        await site.Site.Log.WaitForAsync("Thrown on purpose");
        Assert.Contains(number, site.Site.Log.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_body_that_nginx_refuses_is_answered_by_a_page_of_the_site()
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("files", UriKind.Relative));
        request.Content = new StringContent("x");
        request.Content.Headers.ContentLength = 102L * 1024 * 1024;
        request.Headers.ExpectContinue = true;
        using var response = await site.Client.SendAsync(request).Within("the refusal");
        var page = await response.Content.ReadAsStringAsync().Within("its text");

        Assert.Equal(
            (HttpStatusCode.RequestEntityTooLarge, "text/html"),
            (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        Assert.Contains("<h1>The file is too large.</h1>", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_cursor_stands_in_the_first_wrong_field_and_what_is_wrong_below_its_label()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Phone, new Uri(site.Address, "notes"));
        await browser.TypeAsync("#Input_Author", "Somebody");
        await browser.TypeAsync("#Input_Website", "nowhere");
        await browser.FollowAsync("form.fields button");

        Assert.Equal("A website begins with https:// or http://.", await browser.TextAsync("#website-problem"));
        Assert.Equal("Please write something.", await browser.TextAsync("#text-problem"));
        await browser.WaitUntilAsync("document.activeElement.id === 'Input_Website'");
        Assert.True((await browser.RunAsync(
            """
            const [label, problem, field] = ["[for=Input_Website]", "#website-problem", "#Input_Website"].map(
              selector => document.querySelector(selector).getBoundingClientRect().top);
            return label < problem && problem < field;
            """)).GetBoolean());
        await browser.SaveScreenshotAsync(Repository.Artifact("mvc-wrong-note-phone.png"));
        Assert.Empty(await browser.ComplaintsAsync());
    }

    [Fact]
    public async Task Five_hundred_characters_with_line_breaks_are_taken_and_a_note_goes_only_after_a_question()
    {
        await using var browser = await browsers.OpenAsync(
            Viewport.Desktop, new Uri(site.Address, "account/sign-in?returnUrl=/notes"));
        await browser.TypeAsync("#UserName", "demo");
        await browser.TypeAsync("#Password", "fastcgi");
        await browser.FollowAsync("form.fields button");
        await browser.TypeAsync("#Input_Author", "Somebody");
        await browser.RunAsync(
            "document.querySelector('#Input_Text').value = Array(100).fill('long').join('\\n') + '!'");
        await browser.FollowAsync("form.fields button");
        Assert.Equal("Thank you, Somebody.", await browser.TextAsync(".message"));

        await browser.FollowAsync(".note .delete");
        Assert.Equal("Delete this note?", await browser.TextAsync("h1"));
        await browser.FollowAsync(".choice a");
        Assert.Contains("Somebody", await browser.TextAsync(".note"), StringComparison.Ordinal);
        await browser.FollowAsync(".note .delete");
        await browser.FollowAsync(".choice button");
        Assert.Equal("The note is gone.", await browser.TextAsync(".message"));
        Assert.Empty(await browser.ComplaintsAsync());
    }

    [GeneratedRegex("In the log it is <code>([^<]+)</code>")]
    private static partial Regex NumberOnPage();
}
