namespace FastCgi.Gateway.Tests.Development;

/// <summary>A sample starts by <c>dotnet run</c>, with nothing but the SDK, and leaves nothing.</summary>
[SupportedOSPlatform("linux")]
public sealed partial class SampleRunTests
{
    /// <summary>The SDK looks at the project first, on a machine that may have other work.</summary>
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task Dotnet_run_prints_the_address_of_the_page_and_leaves_nothing()
    {
        using var directory = new WorkDirectory();
        var configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        await using (var sample = ChildProcess.Start(
            "dotnet",
            ["run", "--project", "samples/Hello", "--no-build", "--no-launch-profile", "--configuration", configuration],
            Repository.Root,
            new Dictionary<string, string>
            {
                ["ASPNETCORE_ENVIRONMENT"] = "Development",
                ["ASPNETCORE_URLS"] = "http://127.0.0.1:0",
                ["TMPDIR"] = directory.Path,
            }))
        {
            var line = await sample.Log.FirstAsync(static line => NowListening().IsMatch(line))
                .Within("the address", sample.Log.ToString, s_deadline);
            using var client = new HttpClient
            {
                BaseAddress = new Uri(NowListening().Match(line).Groups["url"].Value),
                Timeout = Deadline.Default,
            };

            Assert.Equal("Hello, World!", await client.GetStringAsync(new Uri("/plaintext", UriKind.Relative)));
            Assert.NotEmpty(Directory.GetDirectories(directory.Path, "fastcgi-gateway-*"));
        }

        Assert.Empty(Directory.GetDirectories(directory.Path, "fastcgi-gateway-*"));
    }

    /// <summary>As dotnet watch and editors read it.</summary>
    [GeneratedRegex(@"Now listening on: (?<url>https?://.*)$")]
    private static partial Regex NowListening();
}
