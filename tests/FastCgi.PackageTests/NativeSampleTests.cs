using System.Net;

namespace FastCgi.PackageTests;

/// <summary>What is promised about Native AOT holds for an application that takes the packages.</summary>
public sealed class NativeSampleTests(Feed feed)
{
    [Fact]
    public async Task Hello_is_compiled_ahead_of_time_without_a_warning_and_answers_through_nginx()
    {
        // Native AOT links with it.
        InstalledProgram.Find("clang");
        using var project = new NewProject(feed, isOffline: false);
        project.CopySample("Hello");

        // Symbols for a debugger and optimized code would take as long again. Without them the compiler warns of the
        // same, and the application does the same.
        var log = await project.RunAsync(
            "publish", "Hello", "--configuration", "Release", "--use-current-runtime", "-v:q", "-p:RunAnalyzers=false",
            "-p:TrimmerSingleWarn=false", "-p:PublishAot=true", "-p:NativeDebugSymbols=false", "-p:Optimize=false",
            "--output", project.PathOf("out"));

        Assert.DoesNotContain("warning", log, StringComparison.OrdinalIgnoreCase);
        Assert.False(File.Exists(project.PathOf("out/Hello.dll")), "The published application is not native.");
        await AssertAnswersAsync(project.PathOf("out"));
    }

    private static async Task AssertAnswersAsync(string folder)
    {
        await using var site = await ProcessSite.StartAsync(Path.Combine(folder, "Hello"), [], folder);
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
}
