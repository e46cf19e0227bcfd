using System.Reflection.PortableExecutable;

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
    public async Task The_server_serves_behind_nginx_published_trimmed()
    {
        using var project = await PublishAsync(
            "--use-current-runtime --self-contained -p:PublishTrimmed=true -p:TrimMode=full",
            "builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = 7);");

        var log = await AssertServesAsync(project.PathOf("out/App"), [], project.PathOf("out"));

        Assert.Contains("MaxRequestBodySize = 7", log, StringComparison.Ordinal);
    }

    /// <summary>With the runtime that is installed: .NET itself is ready to run in any case.</summary>
    [Fact]
    public async Task The_server_serves_behind_nginx_published_ready_to_run()
    {
        using var project = await PublishAsync(
            "--use-current-runtime --no-self-contained -p:PublishReadyToRun=true");

        foreach (var name in (string[])["App", "FastCgi.AspNetCore", "FastCgi.Protocol"])
        {
            using var library = new PEReader(File.OpenRead(project.PathOf($"out/{name}.dll")));
            Assert.True(library.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0, name);
        }

        await AssertServesAsync(project.PathOf("out/App"), [], project.PathOf("out"));
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

        await AssertCompilesNothingAsync(project, listing => AssertServesAsync(
            "dotnet", [project.PathOf("out/App.dll")], project.PathOf("out"), listing, s_exitsOfListing));
    }

    /// <summary>By the command of docs/kubernetes/Containerfile, where another source has a higher version.</summary>
    [Fact]
    public async Task The_tool_is_installed_and_a_start_by_it_compiles_no_method_of_the_server()
    {
        using var other = new WorkDirectory();
        await feed.CopyToolAsync("9.9.9", other.Path);
        using var project = new NewProject(feed, source: other.Path);
        var lines = await File.ReadAllLinesAsync(Path.Combine(Repository.Root, "docs", "kubernetes", "Containerfile"));
        var install = Assert.Single(lines, static line => line.Contains("tool install", StringComparison.Ordinal));
        var tools = project.PathOf("tools");
        var tool = Path.Combine(tools, "fcgi");
        var application = Repository.BuiltTestProgram("FastCgi.RunApp");

        await project.RunAsync(
            [.. install.Split(' ', StringSplitOptions.RemoveEmptyEntries).SkipWhile(static word => word != "tool")
                .Select(word => word == "/tools" ? tools : word == "/packages" ? feed.Folder : word)]);

        Assert.Contains(
            feed.Version, await project.RunAsync("tool", "list", "--tool-path", tools), StringComparison.Ordinal);
        await AssertCompilesNothingAsync(project, async listing =>
        {
            await using var site = await ProcessSite.StartAsync(
                tool, ["run", application, "--"], Path.GetDirectoryName(application)!, listing);
            var page = await site.Client.GetStringAsync((Uri?)null).Within("the page");
            Assert.StartsWith("server=FastCgiServer\n", page, StringComparison.Ordinal);
            var got = await RunToolAsync("get", $"unix:{site.Socket}", "/from-the-package");
            Assert.Contains("path=/from-the-package", got, StringComparison.Ordinal);
            Assert.Contains(await site.StopAsync(), s_exitsOfListing);
        });

        // A startup hook that is missing would end the process.
        var printed = await RunToolAsync("run", application, "--", "console");
        Assert.Contains("no host at all", printed, StringComparison.Ordinal);

        async Task<string> RunToolAsync(params string[] arguments) => $"{await ChildProcess.SucceedAsync(
            tool, arguments, project.Root, deadline: TimeSpan.FromSeconds(60))}";
    }

    /// <summary>
    /// Those of the other packages, in one build. That of FastCgi.Testing tests an application, so it has two projects.
    /// </summary>
    [Fact]
    public async Task The_example_of_a_package_compiles_and_runs()
    {
        using var project = new NewProject(feed, isOffline: false);
        project.Write("Codec", Console, "FastCgi.Protocol", Example("FastCgi.Protocol"));
        project.Write("Client", Console, "FastCgi.Client", Example("FastCgi.Client"));
        project.Write("Gateway", Web, "FastCgi.Gateway", Example("FastCgi.Gateway"));
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
        var all = ((string[])["Codec", "Client", "Gateway", "Check"])
            .Select(static name => $"<Project Path=\"{name}/{name}.csproj\" />");
        await File.WriteAllTextAsync(project.PathOf("All.slnx"), $"<Solution>{string.Concat(all)}</Solution>");

        await project.RunAsync("build", "All.slnx", "-v:q");

        Assert.Contains(
            "BeginRequest of request 1: 8 bytes",
            await project.RunAsync(project.PathOf("Codec/bin/Debug/net10.0/Codec.dll")),
            StringComparison.Ordinal);
        Assert.Contains(
            "Total: 1, Errors: 0, Failed: 0",
            await project.RunAsync(project.PathOf("Check/bin/Debug/net10.0/Check.dll")),
            StringComparison.Ordinal);
    }

    /// <summary>The example of the server, published into the folder "out".</summary>
    private Task<NewProject> PublishAsync(string options, string more = "") =>
        new NewProject(feed, isOffline: false).StartedAsync(project =>
        {
            project.Write("App", Web, "FastCgi.AspNetCore", ServerExample()
                .Replace("CreateBuilder", "CreateSlimBuilder", StringComparison.Ordinal)
                .Replace("var app =", $"{more}\nvar app =", StringComparison.Ordinal));
            return project.RunAsync([
                "publish", "App", "--configuration", "Release", "-v:q", "-p:EnableRequestDelegateGenerator=true",
                "-p:RunAnalyzers=false",
                "--output", project.PathOf("out"), .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
        });

    /// <summary>
    /// Starts the server up to three times: what was not compiled ahead is compiled at each start. On a busy machine .NET
    /// sometimes compiles a method that was.
    /// </summary>
    private static async Task AssertCompilesNothingAsync(
        NewProject project, Func<Dictionary<string, string>, Task> start)
    {
        List<string>? compiled = null;
        for (var starts = 1; starts <= 3 && compiled is not []; starts++)
        {
            var list = project.PathOf($"compiled-{starts}");

            // The variables by which the runtime lists what it compiles.
            await start(new() { ["DOTNET_JitStdOutFile"] = list, ["DOTNET_JitDisasmSummary"] = "1" });
            var listed = await CompiledOfServerAsync(list);
            compiled = [.. compiled?.Intersect(listed) ?? listed];
        }

        Assert.Empty(compiled!);
    }

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
    private static async Task<string> AssertServesAsync(
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
