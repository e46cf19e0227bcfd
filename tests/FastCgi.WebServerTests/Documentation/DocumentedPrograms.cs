using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Documentation;

/// <summary>
/// The programs of the documentation, compiled against this build of the server, all by one build: a warning fails it
/// too. It begins when the first test asks for it.
/// </summary>
internal static class DocumentedPrograms
{
    private const string DocumentedSocket = "/run/app/app.sock";

    /// <summary>Its examples are tests, which run in FastCgi.Testing.Tests.</summary>
    private const string TestingPage = "testing.md";

    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(8);
    private static readonly WorkDirectory s_directory = new();
    private static readonly Lazy<Task> s_build = new(BuildAsync);

    static DocumentedPrograms() => AppDomain.CurrentDomain.ProcessExit += static (_, _) => s_directory.Dispose();

    public static string ReadmeSocket => s_directory.File("readme.sock");

    public static string FromKestrelSocket => s_directory.File("kestrel.sock");

    /// <summary>Every program as it stands on a page of docs has been compiled.</summary>
    public static Task CompileAsync() => s_build.Value;

    /// <summary>The program of README.md, on <see cref="ReadmeSocket"/>.</summary>
    public static Task<ChildProcess> StartReadmeAsync() => StartAsync("Readme");

    /// <summary>The program of docs/from-kestrel.md, on <see cref="FromKestrelSocket"/> and on this address.</summary>
    public static Task<ChildProcess> StartFromKestrelAsync(IPEndPoint kestrel) =>
        StartAsync("FromKestrel", "--urls", $"http://{kestrel}");

    /// <summary>The program of docs/instances.md, with endpoints that need its keys.</summary>
    public static Task<ChildProcess> StartSharedKeysAsync(string keys, string socket) =>
        StartAsync("SharedKeys", "--Keys", keys, "--urls", $"fastcgi://unix:{socket}");

    private static async Task<ChildProcess> StartAsync(string name, params IEnumerable<string> arguments)
    {
        await s_build.Value;
        var folder = Path.Combine(s_directory.Path, "source", name);
        return await ChildProcess.Start("dotnet", [Path.Combine(folder, "bin", $"{name}.dll"), .. arguments], folder)
            .StartedAsync(process => process.WaitForStartAsync($"the documented program {name}"));
    }

    private static async Task BuildAsync()
    {
        var docs = Path.Combine(Repository.Root, "docs");
        var onPages = Directory.EnumerateFiles(docs, "*.md")
            .Where(static page => Path.GetFileName(page) != TestingPage)
            .SelectMany(static page => MarkdownBlocks.Read(page, "csharp"))
            .Select(static (program, i) => (Name: $"Page{i + 1}", Program: program)).ToList();
        Assert.NotEmpty(onPages);
        (string Name, string Program)[] started =
        [
            ("Readme", OnSocket(Path.Combine(Repository.Root, "README.md"), ReadmeSocket)),
            ("FromKestrel", OnSocket(Path.Combine(docs, "from-kestrel.md"), FromKestrelSocket)),
            ("SharedKeys", SharedKeysTests.Program),
        ];

        var sources = s_directory.Subdirectory("source");
        foreach (var (name, program) in onPages.Concat(started))
        {
            Directory.CreateDirectory(Path.Combine(sources, name));
            await File.WriteAllTextAsync(Path.Combine(sources, name, "Program.cs"), program);
        }

        await File.WriteAllTextAsync(
            Path.Combine(sources, "Documented.csproj"),
            ProjectOf(Items("Compiled", onPages) + Items("Built", started)));
        await ChildProcess.SucceedAsync(
            "dotnet",
            ["build", "-t:Programs", "--configuration", "Release", "--nologo"],
            sources,
            BuildEnvironment.In(s_directory),
            s_deadline);
    }

    private static string OnSocket(string page, string socket) => Assert.Single(MarkdownBlocks.Read(page, "csharp"))
        .With(DocumentedSocket, socket);

    private static string Items(string type, IEnumerable<(string Name, string Program)> programs) =>
        string.Concat(programs.Select(one =>
            $"<{type} Include=\"$(MSBuildProjectFullPath)\" AdditionalProperties=\"Program={one.Name}\" />"));

    /// <summary>One project for all programs, of which the property Program names one: it is restored once.</summary>
    /// <param name="items">Those that are started are Built, the others only Compiled.</param>
    private static string ProjectOf(string items) => $"""
        <Project Sdk="Microsoft.NET.Sdk.Web">
          <PropertyGroup>
            <TargetFramework>net10.0</TargetFramework>
            <Nullable>enable</Nullable>
            <ImplicitUsings>enable</ImplicitUsings>
            <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
            <EnableDefaultItems>false</EnableDefaultItems>
            <AssemblyName>$(Program)</AssemblyName>
            <IntermediateOutputPath>obj/$(Program)/</IntermediateOutputPath>
            <OutputPath>$(Program)/bin/</OutputPath>
            <AppendTargetFrameworkToOutputPath>false</AppendTargetFrameworkToOutputPath>
          </PropertyGroup>
          <ItemGroup>
            <Compile Include="$(Program)/Program.cs" />
            <Reference Include="{typeof(FastCgiServerOptions).Assembly.Location}" />
            <Reference Include="{typeof(FastCgi.Protocol.RecordHeader).Assembly.Location}" />
            <Reference Include="{typeof(FastCgi.Client.FastCgiHandler).Assembly.Location}" />
            <Reference Include="{typeof(FastCgi.Gateway.FastCgiGatewayOptions).Assembly.Location}" />
          </ItemGroup>
          <Target Name="Programs">
            <ItemGroup>
              {items}
            </ItemGroup>
            <MSBuild Projects="@(Compiled)" Targets="Compile" BuildInParallel="true" />
            <MSBuild Projects="@(Built)" BuildInParallel="true" />
          </Target>
        </Project>
        """;
}
