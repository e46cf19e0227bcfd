namespace FastCgi.PackageTests;

/// <summary>The site of the pages: a link that leads nowhere, or a public type without a summary, fails it.</summary>
public sealed class SiteTests
{
    [Fact]
    public async Task The_script_makes_the_site()
    {
        await ChildProcess.SucceedAsync(
            "bash", ["docs/site", "--no-build"], Repository.Root, deadline: TimeSpan.FromMinutes(5));

        Assert.True(File.Exists(Path.Combine(Repository.Root, "artifacts", "site", "docs", "README.html")));
    }
}
