namespace FastCgi.SampleTests.Mvc;

/// <summary>TestServer and our server behind nginx give the same answers, word for word.</summary>
public sealed partial class MvcAnswersTests(MvcOnTestServer inMemory, MvcBehindNginx served)
    : IClassFixture<MvcOnTestServer>, IClassFixture<MvcBehindNginx>
{
    [Theory]
    [InlineData("/")]
    [InlineData("/notes")]
    [InlineData("/files")]
    [InlineData("/account")]
    [InlineData("/account/sign-in?returnUrl=%2Fnotes")]
    [InlineData("/api/notes")]
    [InlineData("/api/notes?skip=-1&take=1000")]
    [InlineData("/api/notes?skip=x")]
    [InlineData("/api/notes/99999")]
    [InlineData("/files/a%2Fb")]
    [InlineData("/files/..%5C..%5Cnotes.db")]
    [InlineData("/nowhere")]
    [InlineData("/fail")]
    [InlineData("/error/404")]
    [InlineData("/site.css")]
    [InlineData("/icon.svg")]
    [InlineData("/health")]
    public async Task The_answer_is_the_same_in_memory_and_behind_nginx(string target)
    {
        using var tester = inMemory.CreateBrowser();
        using var browser = served.CreateBrowser();
        var expected = await MvcPage.GetAsync(tester, target);
        var actual = await MvcPage.GetAsync(browser, target);
        Assert.Equal(expected with { Text = "" }, actual with { Text = "" });
        Assert.Equal(WithoutChance(expected.Text), WithoutChance(actual.Text));
    }

    /// <summary>
    /// Leaves out what differs from request to request and from database to database, and the client's address:
    /// TestServer's client has none.
    /// </summary>
    private static string WithoutChance(string text)
    {
        text = Token().Replace(text, "token");
        text = FormName().Replace(text, "form");
        text = TraceIdentifier().Replace(text, "trace");
        text = Time().Replace(text, "time");
        return Address().Replace(text, "address");
    }

    [GeneratedRegex("CfDJ8[\\w-]+")]
    private static partial Regex Token();

    [GeneratedRegex("(?<=name=\"Input.Form\" value=\")[^\"]+")]
    private static partial Regex FormName();

    [GeneratedRegex("(?<=In the log it is <code>)[^<]+|(?<=\"traceId\":\")[^\"]+")]
    private static partial Regex TraceIdentifier();

    [GeneratedRegex("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z?|\\d+ \\w+ \\d{4}, \\d\\d:\\d\\d")]
    private static partial Regex Time();

    [GeneratedRegex("(?<=<dt>Address</dt><dd>)[^<]*")]
    private static partial Regex Address();
}
