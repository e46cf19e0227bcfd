using System.Net;
using System.Text.RegularExpressions;
using Xunit.Sdk;

namespace FastCgi.PackageTests;

/// <summary>What is promised about Native AOT holds for the sample Hello, with packages for the projects it references.</summary>
[Trait("Category", "Slow")]
public sealed partial class NativeAotTests(Feed feed)
{
    [Fact]
    public async Task Hello_is_compiled_ahead_of_time_without_a_warning_and_answers_through_nginx()
    {
        // Native AOT links with it.
        InstalledProgram.Find("clang");
        using var project = new NewProject(feed, isOffline: false);
        CopyHello(project);
        try
        {
            // Without symbols for a debugger, which take a while.
            await PublishAsync(project, "-p:PublishAot=true", "-p:NativeDebugSymbols=false");
        }
        catch (XunitException failure) when (
            failure.Message.Contains("NU1101", StringComparison.Ordinal)
            && failure.Message.Contains("NativeAOT", StringComparison.Ordinal))
        {
            // The linker's analysis of the whole program, and a run without dynamic code, as Native AOT is.
            await PublishAsync(
                project, "-p:PublishTrimmed=true", "-p:TrimMode=full", "--self-contained", "-p:DynamicCodeSupport=false");
            await AssertAnswersAsync(project);
            Assert.Skip(
                "The package registry lacks the runtime that Native AOT compiles against. Trimmed and without dynamic " +
                "code the application answers.");
        }

        Assert.False(File.Exists(project.PathOf("out/Hello.dll")), "The published application is not native.");
        await AssertAnswersAsync(project);
    }

    private void CopyHello(NewProject project)
    {
        var sample = new DirectoryInfo(Path.Combine(Repository.Root, "samples", "Hello"));
        var copy = Directory.CreateDirectory(project.PathOf("Hello")).FullName;
        foreach (var file in sample.GetFiles())
        {
            file.CopyTo(Path.Combine(copy, file.Name));
        }

        var projectFile = Path.Combine(copy, "Hello.csproj");
        var references = File.ReadAllText(projectFile);
        Assert.Matches(ReferencedProject(), references);
        File.WriteAllText(projectFile, ReferencedProject().Replace(
            references, $"""<PackageReference Include="$1" Version="{feed.Version}" />"""));
        File.Copy(Path.Combine(Repository.Root, "Directory.Build.props"), project.PathOf("Directory.Build.props"));
    }

    private static async Task PublishAsync(NewProject project, params string[] how)
    {
        var log = await project.RunAsync([
            "publish", "Hello", "--configuration", "Release", "--use-current-runtime", "--output", project.PathOf("out"),
            "-v:q", "-p:RunAnalyzers=false", "-p:TrimmerSingleWarn=false", .. how]);
        Assert.DoesNotContain("warning", log, StringComparison.OrdinalIgnoreCase);
    }

    private static async Task AssertAnswersAsync(NewProject project)
    {
        await using var site = await ProcessSite.StartAsync(project.PathOf("out/Hello"), [], project.PathOf("out"));
        Assert.Equal("Hello, World!", await GetAsync(site, "plaintext"));
        Assert.Equal("{\"message\":\"Hello, World!\"}", await GetAsync(site, "json"));
        Assert.Contains("127.0.0.1", await GetAsync(site, ""), StringComparison.Ordinal);

        using var head = new HttpRequestMessage(HttpMethod.Head, (Uri?)null);
        using var headed = await site.Client.SendAsync(head).Within("HEAD");
        Assert.Equal(HttpStatusCode.OK, headed.StatusCode);
        using var missing = await site.Client.GetAsync(new Uri("nowhere", UriKind.Relative)).Within("no page");
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
        Assert.Contains(
            "There is nothing to see here: status 404.", await missing.Content.ReadAsStringAsync().Within("its text"),
            StringComparison.Ordinal);

        using var form = new FormUrlEncodedContent([new("name", "<b>you</b>")]);
        using var posted = await site.Client.PostAsync((Uri?)null, form).Within("the form's answer");
        var page = await posted.Content.ReadAsStringAsync().Within("its body");
        Assert.Contains("&lt;b&gt;you&lt;/b&gt;", page, StringComparison.Ordinal);

        var eventsTarget = new Uri("events", UriKind.Relative);
        await using (var events = await site.Client.GetStreamAsync(eventsTarget).Within("the events"))
        using (var reader = new StreamReader(events))
        {
            Assert.Equal("event: count", await reader.ReadLineAsync().Within("the first event"));
        }

        Assert.Equal(0, await site.StopAsync());
        Assert.False(site.HasSocketFile);
    }

    private static Task<string> GetAsync(ProcessSite site, string target) =>
        site.Client.GetStringAsync(new Uri(target, UriKind.Relative)).Within($"/{target}");

    [GeneratedRegex("""<ProjectReference Include="[./]+src/([A-Za-z.]+)/[A-Za-z.]+" />""")]
    private static partial Regex ReferencedProject();
}
