namespace FastCgi.Tool.Tests.Doctor;

/// <summary>
/// The doctor finds something if and only if a request through the real nginx fails, or shows something else than it
/// should.
/// </summary>
public sealed class HealthOracleTests(CorpusPlaces places) : IClassFixture<CorpusPlaces>
{
    private const string Evil = "Basic ZXZpbDp4";

    public static TheoryData<string> Files => CorpusFile.Names;

    [Fact]
    public void The_corpus_has_forty_sites_at_least() => Assert.True(CorpusFile.Names.Count >= 40);

    [Fact]
    public void The_page_of_verdicts_has_the_files_of_the_corpus() => Assert.Equal(
        CorpusFile.Names.Concat(CorpusFile.ApacheNames).Select(static row => (string)row.Data).Order(),
        VerdictsPage.Names.Order());

    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_site_has_findings_if_and_only_if_its_requests_go_wrong(string name)
    {
        await places.StartPhpAsync();
        var file = CorpusFile.Read(name);
        using var work = new WorkDirectory();
        await File.WriteAllTextAsync(work.File("users"), "");
        var text = places.Fill(file.Text, work);
        await File.WriteAllTextAsync(work.File("site.conf"), text);
        await using var site = await CorpusSite.StartAsync(endPoint =>
            places.Fill(file.WithListen(endPoint.ToString(), $"unix:{work.File("other.sock")}"), work));

        var complaints = await site.ComplaintsAsync(
            [.. file.HasApplication ? UsualRequests(file) : [], .. file.Asks], file.Host);
        var run = await ToolRun.OfAsync(["doctor", work.File("site.conf"), "--json", .. file.Arguments]);
        file.AssertJudged(run, complaints);
        Assert.Equal(file.Finds.Length > 0 ? ExitCode.Findings : ExitCode.Success, run.ExitCode);
    }

    /// <summary>What every application gets, whatever else the site does.</summary>
    private static IEnumerable<CorpusAsk> UsualRequests(CorpusFile file) =>
    [
        new(
            "GET",
            $"{file.Mount}/orders/a%2Fb?x=1",
            [("Authorization", Evil), ("Cookie", "a=b"), ("X-Forwarded-For", "203.0.113.66"), ("X_User", "evil")],
            [
                ("status", "200"), ("target", $"{file.Mount}/orders/a%2Fb?x=1"), ("host", file.Host), ("user", ""),
                ("cookie", "a=b"), ("remote", "127.0.0.1"), ("x-user", ""),
            ]),
        new(
            "GET",
            $"http://{file.Host}{file.Mount}/orders",
            [("Host", file.Host.Replace("site", "evil", StringComparison.Ordinal))],
            [("host", file.Host)]),
        new("GET", $"{file.Mount}/orders", [("Host", $"www.{file.Host}")], [("host", $"www.{file.Host}")]),
        new("POST", $"{file.Mount}/orders", [("Content-Type", "text/x")], [("body", "5"), ("type", "text/x")])
        {
            Body = "12345",
        },
        new("GET", $"{file.Mount}/long?head=6000", [], [("status", "200")]),
        new("GET", $"{file.Mount}/site.css", [], [("status", "200")]),
    ];
}
