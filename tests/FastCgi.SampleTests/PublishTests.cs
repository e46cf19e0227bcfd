namespace FastCgi.SampleTests;

/// <summary>What is promised about Native AOT holds for an application that is published so.</summary>
[Trait("Category", "Slow")]
public sealed class PublishTests
{
    private static readonly TimeSpan _publishDeadline = TimeSpan.FromMinutes(8);

    [Fact]
    public async Task Hello_is_compiled_ahead_of_time_without_a_warning_and_answers_through_nginx()
    {
        // Native AOT links with it.
        InstalledProgram.Find("clang");
        using var directory = new WorkDirectory();
        // Without symbols for a debugger, which take a while.
        var (exitCode, log) = await PublishAsync(directory, "-p:PublishAot=true", "-p:NativeDebugSymbols=false");
        if (log.Contains("NU1101", StringComparison.Ordinal) && log.Contains("NativeAOT", StringComparison.Ordinal))
        {
            await AssertAnswersTrimmedAsync(directory);
            Assert.Skip(
                "The package registry lacks the runtime that Native AOT compiles against. Trimmed and without dynamic " +
                "code the application answers.");
        }

        AssertNoWarning(exitCode, log);
        Assert.False(File.Exists(directory.File("app/Hello.dll")), "The published application is not native.");
        await AssertAnswersAsync(directory);
    }

    /// <summary>The linker's analysis of the whole program, and a run without dynamic code, as Native AOT is.</summary>
    private static async Task AssertAnswersTrimmedAsync(WorkDirectory directory)
    {
        var (exitCode, log) = await PublishAsync(
            directory, "-p:PublishTrimmed=true", "-p:TrimMode=full", "--self-contained", "-p:DynamicCodeSupport=false");
        AssertNoWarning(exitCode, log);
        await AssertAnswersAsync(directory);
    }

    /// <summary>Publishes into the directory, so that the sources stay as they are; leaves no build server.</summary>
    private static async Task<(int ExitCode, string Log)> PublishAsync(WorkDirectory directory, params string[] how)
    {
        string[] arguments =
        [
            "publish", Path.Combine(Repository.Root, "samples", "Hello"), "--configuration", "Release",
            "--use-current-runtime", "--output", directory.File("app"), "--artifacts-path", directory.File("build"),
            "--nologo", "--verbosity", "quiet", "-p:RunAnalyzers=false",
            "-p:TrimmerSingleWarn=false", .. how,
        ];
        await using var publish = ChildProcess.Start(
            "dotnet", arguments, directory.Path, BuildEnvironment.In(directory));
        var exitCode = await publish.WaitAsync("the publish", _publishDeadline);
        return (exitCode, publish.Log.ToString());
    }

    private static void AssertNoWarning(int exitCode, string log)
    {
        Assert.True(exitCode == 0, log);
        Assert.DoesNotContain("warning", log, StringComparison.OrdinalIgnoreCase);
    }

    private static async Task AssertAnswersAsync(WorkDirectory directory)
    {
        await using var site = await ProcessSite.StartAsync(directory.File("app/Hello"), [], directory.File("app"));
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
