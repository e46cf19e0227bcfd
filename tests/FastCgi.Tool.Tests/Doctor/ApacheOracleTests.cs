using System.Globalization;
using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>The same for Apache: requests through the real one, and <c>apache2 -t</c>.</summary>
public sealed partial class ApacheOracleTests(CorpusPlaces places) : IClassFixture<CorpusPlaces>
{
    private const int MutationsOfOneFile = 12;
    private const string Modules = "/usr/lib/apache2/modules";

    public static TheoryData<string> Files => CorpusFile.ApacheNames;

    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_site_has_findings_if_and_only_if_its_requests_go_wrong(string name)
    {
        await places.StartPhpAsync();
        var file = CorpusFile.Read(name);
        using var work = new WorkDirectory();
        var text = places.Fill(file.Text, work);
        await File.WriteAllTextAsync(work.File("site.conf"), text);
        await using var site = await CorpusSite.StartApacheAsync(endPoint =>
            text.Replace("*:80", endPoint.ToString(), StringComparison.Ordinal));

        var complaints = await site.ComplaintsAsync([.. UsualRequests(), .. file.Asks], "site.example");
        var run = await ToolRun.OfAsync("doctor", work.File("site.conf"), "--json");
        file.AssertJudged(run, complaints);
    }

    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_file_and_its_mutations_are_judged_as_Apache_judges_them(string name)
    {
        await places.StartPhpAsync();
        using var work = new WorkDirectory();
        var text = places.Fill(CorpusFile.Read(name).Text, work);
        var random = new Random(name.Sum(static c => c));
        await AssertSameAsync(text, work);
        for (var i = 0; i < MutationsOfOneFile; i++)
        {
            var mark = text.IndexOfAny(['<', '>', '/', '"', '\n'], random.Next(text.Length));
            var mutation = mark < 0 ? text : random.Next(3) switch
            {
                0 => text.Remove(mark, 1),
                1 => text.Insert(mark, "</VirtualHost>\n"),
                _ => text[..mark],
            };
            await AssertSameAsync(mutation, work);
        }
    }

    private static IEnumerable<CorpusAsk> UsualRequests() =>
    [
        new(
            "GET",
            "/orders/a%2Fb?x=1",
            [("Authorization", "Bearer x"), ("Cookie", "a=b")],
            [
                ("status", "200"), ("target", "/orders/a%2Fb?x=1"), ("host", "site.example"), ("cookie", "a=b"),
                ("remote", "127.0.0.1"), ("authorization", "Bearer x"), ("user", ""),
            ]),
        new("POST", "/orders", [("Content-Type", "text/x")], [("body", "5"), ("type", "text/x")]) { Body = "12345" },
        new("GET", "/long?head=6000", [], [("status", "200")]),
    ];

    private static async Task AssertSameAsync(string text, WorkDirectory work)
    {
        // A whole file, so that a finding of Apache has the line of the site.
        var head = string.Join('\n', [
            $"ServerRoot {work.Path}", $"DefaultRuntimeDir {work.Path}", $"PidFile {work.File("pid")}",
            "ErrorLog /dev/stderr", "Listen 127.0.0.1:81", "ServerName localhost",
            .. ((string[])
                [
                    "mpm_event", "authz_core", "alias", "dir", "env", "setenvif", "remoteip", "rewrite", "proxy",
                    "proxy_http", "proxy_fcgi",
                ])
                .Select(static module => $"LoadModule {module}_module {Modules}/mod_{module}.so"),
            "",
        ]);
        await File.WriteAllTextAsync(work.File("apache.conf"), head + text);
        var (exitCode, log) = await ChildProcess.RunAsync(
            InstalledProgram.Find("apache2"), ["-t", "-f", work.File("apache.conf")], work.Path);
        var output = log.ToString();
        var run = await ToolRun.OfAsync("doctor", work.File("apache.conf"), "--json");
        var errors = run.Json["findings"]!.AsArray()
            .Where(static finding => (string)finding!["rule"]! == "syntax").ToArray();
        if (exitCode == 0)
        {
            // A condition that is true may lack its end, which is a mistake all the same.
            Assert.True(
                errors.All(static error => ((string)error!["problem"]!).StartsWith("<if", StringComparison.Ordinal)),
                $"Apache starts, and the doctor says {run.Output}\n{text}");
            return;
        }

        // Commands of modules and values of directives are Apache's own business.
        if (IsOfStructure().IsMatch(output))
        {
            Assert.True(errors.Length > 0, $"Apache says '{output}', and the doctor nothing\n{text}");
            Assert.True(
                Places().Matches(output).Any(place => place.Groups[1].Value
                    == ((int)errors[0]!["line"]!).ToString(CultureInfo.InvariantCulture)),
                $"Apache says '{output}', and the doctor {errors[0]}\n{text}");
        }
    }

    [GeneratedRegex("was not closed|Expected </|without matching|missing closing|Could not open")]
    private static partial Regex IsOfStructure();

    [GeneratedRegex(@"(?:error on line |apache\.conf:)(\d+)")]
    private static partial Regex Places();
}
