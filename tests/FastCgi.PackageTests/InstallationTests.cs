namespace FastCgi.PackageTests;

/// <summary>The first example of each package's readme compiles against the package, and runs.</summary>
public sealed class InstallationTests(Feed feed)
{
    private const string Web = "Microsoft.NET.Sdk.Web";
    private const string Console = "Microsoft.NET.Sdk";

    /// <summary>
    /// While .NET lists what it compiles, its exit may crash: it closes the list under threads that still compile. The
    /// list is whole then, and Kestrel's process does the same. Signals 6 and 11 are 128 more in an exit code.
    /// </summary>
    private static readonly int[] s_exitsOfListing = [0, 128 + 6, 128 + 11];

    [Fact]
    public async Task The_server_serves_behind_nginx()
    {
        using var project = new NewProject(feed);
        project.Write("App", Web, "FastCgi.AspNetCore", ServerExample());
        await project.RunAsync("build", "App", "--configuration", "Release", "-v:q");

        await AssertServesAsync("dotnet", [project.PathOf("App/bin/Release/net10.0/App.dll")], project.PathOf("App"));
    }

    [Fact]
    public async Task The_server_serves_behind_nginx_published_trimmed_and_ready_to_run()
    {
        using var project = new NewProject(feed, isOffline: false);
        project.Write("App", Web, "FastCgi.AspNetCore", ServerExample()
            .Replace("CreateBuilder", "CreateSlimBuilder", StringComparison.Ordinal)
            .Replace(
                "var app =",
                "builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = 7);\nvar app =",
                StringComparison.Ordinal));
        await project.RunAsync(
            "publish", "App", "--configuration", "Release", "--use-current-runtime", "--self-contained", "-v:q",
            "-p:PublishTrimmed=true", "-p:TrimMode=full", "-p:PublishReadyToRun=true",
            "-p:EnableRequestDelegateGenerator=true", "--output", project.PathOf("out"));

        var log = await AssertServesAsync(project.PathOf("out/App"), [], project.PathOf("out"));

        Assert.Contains("MaxRequestBodySize = 7", log, StringComparison.Ordinal);
    }

    /// <summary>It compiles the plain library itself; the next test takes the one that was compiled ahead.</summary>
    [Fact]
    public async Task The_server_serves_behind_nginx_published_as_a_single_file()
    {
        using var project = await PublishAsync("--use-current-runtime --self-contained -p:PublishSingleFile=true");

        await AssertServesAsync(project.PathOf("out/App"), [], project.PathOf("out"));
    }

    /// <summary>
    /// The compiler at run time is left generic methods over types of .NET, which .NET has not compiled for them.
    /// </summary>
    [Theory]
    [InlineData("")]
    [InlineData("--use-current-runtime --no-self-contained")]
    public async Task A_start_compiles_no_method_of_the_server(string options)
    {
        using var project = await PublishAsync(options);
        var list = project.PathOf("compiled");

        await AssertServesAsync(
            "dotnet", [project.PathOf("out/App.dll")], project.PathOf("out"), ListingTo(list), s_exitsOfListing);

        Assert.Empty(await CompiledOfServerAsync(list));
    }

    [Fact]
    public async Task A_start_by_the_tool_compiles_no_method_of_the_server()
    {
        using var project = new NewProject(feed);
        await project.RunAsync(
            "tool", "install", "FastCgi.Tool", "--version", feed.Version, "--tool-path", project.PathOf("tools"));
        var list = project.PathOf("compiled");
        var application = Repository.BuiltTestProgram("FastCgi.RunApp");

        await using var site = await ProcessSite.StartAsync(
            project.PathOf("tools/fcgi"),
            ["run", application, "--"],
            Path.GetDirectoryName(application)!,
            ListingTo(list));
        var page = await site.Client.GetStringAsync((Uri?)null).Within("the page");

        Assert.StartsWith("server=FastCgiServer\n", page, StringComparison.Ordinal);
        Assert.Contains(await site.StopAsync(), s_exitsOfListing);
        Assert.Empty(await CompiledOfServerAsync(list));
    }

    [Fact]
    public async Task The_protocol_reads_what_it_writes()
    {
        using var project = new NewProject(feed);
        project.Write("Codec", Console, "FastCgi.Protocol", Example("FastCgi.Protocol"));

        var printed = await project.RunAsync("run", "--project", "Codec");

        Assert.Contains("BeginRequest of request 1: 8 bytes", printed, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("FastCgi.Client", Console)]
    [InlineData("FastCgi.Gateway", Web)]
    public async Task The_example_of_a_package_compiles(string package, string sdk)
    {
        using var project = new NewProject(feed);
        project.Write("Example", sdk, package, Example(package));

        await project.RunAsync("build", "Example", "-v:q");
    }

    /// <summary>It tests an application, so there are two projects.</summary>
    [Fact]
    public async Task The_testing_package_runs_an_application()
    {
        using var project = new NewProject(feed, isOffline: false);
        project.Write("App", Web, "FastCgi.AspNetCore", """
            var builder = WebApplication.CreateBuilder(args);
            builder.WebHost.UseFastCgi();
            var app = builder.Build();
            app.MapGet("/", (HttpContext context) => $"Hello, {context.GetServerVariable("REMOTE_USER")}");
            app.Run();
            """);
        project.Write("Check", Console, "FastCgi.Testing", Example("FastCgi.Testing"), """
            <ProjectReference Include="../App/App.csproj" />
            <PackageReference Include="xunit.v3" Version="3.2.1" />
            """);

        var printed = await project.RunAsync("run", "--project", "Check");

        Assert.Contains("Total: 1, Errors: 0, Failed: 0", printed, StringComparison.Ordinal);
    }

    /// <summary>The example of the server, published into the folder "out".</summary>
    private Task<NewProject> PublishAsync(string options) => new NewProject(feed, isOffline: false).StartedAsync(project =>
    {
        project.Write("App", Web, "FastCgi.AspNetCore", ServerExample()
            .Replace("CreateBuilder", "CreateSlimBuilder", StringComparison.Ordinal));
        return project.RunAsync([
            "publish", "App", "--configuration", "Release", "-v:q", "-p:EnableRequestDelegateGenerator=true",
            "--output", project.PathOf("out"), .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
    });

    /// <summary>The variables by which the runtime lists what it compiles.</summary>
    private static Dictionary<string, string> ListingTo(string file) => new()
    {
        ["DOTNET_JitStdOutFile"] = file,
        ["DOTNET_JitDisasmSummary"] = "1",
    };

    /// <summary>The methods of the server and of the startup hook that were compiled first, generic ones excepted.</summary>
    private static async Task<IReadOnlyList<string>> CompiledOfServerAsync(string list)
    {
        // The second tier compiles what is called often anew.
        var compiled = (await File.ReadAllLinesAsync(list))
            .Where(static line => line.Contains("Tier0", StringComparison.Ordinal))
            .Select(static line => line[(line.IndexOf("compiled ", StringComparison.Ordinal) + "compiled ".Length)..])
            .ToList();
        Assert.Contains(compiled, static method => method.StartsWith("Program", StringComparison.Ordinal));
        return
        [
            .. compiled.Where(static method => !method.Contains('`', StringComparison.Ordinal)
                && !method.StartsWith("FastCgi.Tool.", StringComparison.Ordinal)
                && (method.StartsWith("FastCgi.", StringComparison.Ordinal)
                    || method.StartsWith("StartupHook", StringComparison.Ordinal))),
        ];
    }

    /// <summary>What the application printed.</summary>
    internal static async Task<string> AssertServesAsync(
        string program,
        string[] arguments,
        string contentRoot,
        Dictionary<string, string>? environment = null,
        int[]? exits = null)
    {
        await using var site = await ProcessSite.StartAsync(program, arguments, contentRoot, environment);
        var host = $"{site.Client.BaseAddress!.Host}:{site.Client.BaseAddress.Port}";

        Assert.Equal(
            $"You asked for / on {host}.",
            await site.Client.GetStringAsync((Uri?)null).Within("the page"));
        Assert.Contains(await site.StopAsync(), exits ?? [0]);
        Assert.False(site.HasSocketFile);
        return site.Log.ToString();
    }

    /// <summary>Without an endpoint of its own: the test says where it listens.</summary>
    private static string ServerExample()
    {
        var example = Example("FastCgi.AspNetCore");
        var start = example.IndexOf("UseFastCgi(", StringComparison.Ordinal) + "UseFastCgi(".Length;
        return example[..start] + example[example.IndexOf(");\n", start, StringComparison.Ordinal)..];
    }

    /// <summary>The first block of C# in the readme of a package.</summary>
    private static string Example(string package)
    {
        const string Begin = "```csharp\n";
        var readme = File.ReadAllText(Path.Combine(Repository.Root, "src", package, "README.md"));
        var start = readme.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        return readme[start..readme.IndexOf("```", start, StringComparison.Ordinal)];
    }
}
