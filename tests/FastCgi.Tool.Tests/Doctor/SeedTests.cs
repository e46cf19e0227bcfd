using System.Net;
using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>
/// Each mistake causes its symptom on real nginx, and the doctor names its line; without it, both are silent.
/// </summary>
public sealed partial class SeedTests(SeedPlaces places) : IClassFixture<SeedPlaces>
{
    private static readonly Seed[] s_seeds =
        [.. UpstreamSeeds.All, .. ParameterSeeds.All, .. TrustSeeds.All, .. LocationSeeds.All, .. ScgiSeeds.All];

    public static TheoryData<string> Names => [.. s_seeds.Select(static seed => seed.Name)];

    public static IEnumerable<string> Rules => s_seeds.Select(static seed => seed.Rule);

    [Fact]
    public void There_are_twenty_mistakes_at_least() =>
        Assert.True(s_seeds.Select(static seed => seed.Rule).Distinct().Count() >= 20);

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_mistake_has_its_symptom_and_is_found(string name)
    {
        var seed = s_seeds.Single(seed => seed.Name == name);

        var (wrong, found) = await TryAsync(seed, seed.Wrong);
        var (right, nothing) = await TryAsync(seed, seed.Right);

        Assert.True(wrong, "nginx does not show the symptom");
        Assert.False(right, "nginx shows the symptom without the mistake");
        var finding = Assert.Single(found.Json[seed.IsHint ? "hints" : "findings"]!.AsArray())!;
        Assert.Equal(seed.Rule, (string)finding["rule"]!);
        Assert.Equal(LineOf(seed.Wrong), (int)finding["line"]!);
        Assert.Equal(seed.IsHint ? ExitCode.Success : ExitCode.Findings, found.ExitCode);
        Assert.Equal("[]", nothing.Json["findings"]!.ToJsonString());
        Assert.DoesNotContain(seed.Rule, nothing.Json["hints"]!.ToJsonString(), StringComparison.Ordinal);
        Assert.Equal(ExitCode.Success, nothing.ExitCode);
    }

    /// <summary>A file that follows a remedy has no finding: no rule contradicts another.</summary>
    [Theory]
    [InlineData("host-port")]
    [InlineData("host-port: Debian's fastcgi_params")]
    [InlineData("client-host")]
    [InlineData("decoded-target")]
    [InlineData("https-value")]
    [InlineData("unverified-user")]
    [InlineData("forged-fact: address")]
    [InlineData("forged-fact: user")]
    [InlineData("forged-fact: host")]
    [InlineData("cache-key")]
    [InlineData("scgi: host-port: Debian's fastcgi_params")]
    [InlineData("scgi: client-host")]
    [InlineData("scgi: unverified-user")]
    [InlineData("scgi: forged-fact: address")]
    public async Task The_line_of_a_remedy_is_accepted(string name)
    {
        var seed = s_seeds.Single(seed => seed.Name == name);
        using var directory = new WorkDirectory();
        var file = directory.File("site.conf");
        var lines = places.Fill(seed.Wrong, new IPEndPoint(IPAddress.Loopback, 8080), directory).Split('\n');
        await File.WriteAllLinesAsync(file, lines);
        var found = await ToolRun.OfAsync("doctor", file, "--json");

        var remedy = (string)Assert.Single(found.Json["findings"]!.AsArray())!["remedy"]!;
        var written = Line().Match(remedy);
        Assert.True(written.Success, remedy);
        var wrong = Array.FindIndex(lines, static line => line.Contains(Seed.Mark, StringComparison.Ordinal));
        lines[wrong] = remedy.StartsWith("Add ", StringComparison.Ordinal)
            ? $"{written.Value}\n{lines[wrong]}"
            : written.Value;
        await File.WriteAllLinesAsync(file, lines.Prepend(Map().Match(remedy).Value));
        var run = await ToolRun.OfAsync("doctor", file);

        Assert.True(run.ExitCode == ExitCode.Success, $"{remedy}\n{run.Output}");
    }

    private async Task<(bool Shows, ToolRun Doctor)> TryAsync(Seed seed, string template)
    {
        using var directory = new WorkDirectory();
        var file = directory.File("site.conf");
        await using var site = await SeedSite.StartAsync(endPoint =>
        {
            var text = places.Fill(template, endPoint, directory);
            File.WriteAllText(file, text);
            return text;
        });
        var shows = await seed.Shows(site);
        return (shows, await ToolRun.OfAsync(
            [
                "doctor", file, "--json", .. seed.Arguments.Select(
                    argument => argument.Replace("UNLIMITED", places.UnlimitedSettings)
                        .Replace("SETTINGS", places.Settings)),
            ]));
    }

    private static int LineOf(string text) =>
        text[..text.IndexOf(Seed.Mark, StringComparison.Ordinal)].Count(static c => c == '\n') + 1;

    [GeneratedRegex("(fastcgi|scgi)_(param|cache_key) [^;]+;")]
    private static partial Regex Line();

    [GeneratedRegex(@"map \$http_host .*\}")]
    private static partial Regex Map();
}
