namespace FastCgi.WebServerTests.Documentation;

/// <summary>Programs as they stand in a document, compiled against this build of the server.</summary>
internal static class DocumentedPrograms
{
    private static readonly TimeSpan _deadline = TimeSpan.FromMinutes(8);

    /// <summary>Compiles each as a Program.cs of its own, all by one build; a warning fails it too.</summary>
    /// <param name="directory">For the sources.</param>
    /// <param name="output">Gets Program1.dll; null when nothing is to be run.</param>
    /// <param name="programs">At most one where there is an output.</param>
    public static async Task BuildAsync(WorkDirectory directory, string? output, params IReadOnlyList<string> programs)
    {
        var sources = directory.Subdirectory("source");
        List<string> projects = [];
        foreach (var program in programs)
        {
            projects.Add(await WriteProjectAsync(sources, $"Program{projects.Count + 1}", program));
        }

        var solution = Path.Combine(sources, "Documented.slnx");
        var entries = projects.Select(static project => $"  <Project Path=\"{project}\" />");
        await File.WriteAllTextAsync(solution, $"<Solution>\n{string.Join('\n', entries)}\n</Solution>\n");

        var target = output is null ? solution : Path.Combine(sources, Assert.Single(projects));
        string[] destination = output is null ? [] : ["--output", output];
        await using var build = ChildProcess.Start(
            "dotnet",
            ["build", target, "--configuration", "Release", .. destination, "--nologo"],
            sources,
            BuildEnvironment.In(directory));
        Assert.True(await build.WaitAsync("the build", _deadline) == 0, build.Log.ToString());
    }

    /// <returns>The project's path below the sources.</returns>
    private static async Task<string> WriteProjectAsync(string sources, string name, string program)
    {
        var folder = Directory.CreateDirectory(Path.Combine(sources, name)).FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "Program.cs"), program);
        await File.WriteAllTextAsync(Path.Combine(folder, $"{name}.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk.Web">
              <PropertyGroup>
                <TargetFramework>net10.0</TargetFramework>
                <Nullable>enable</Nullable>
                <ImplicitUsings>enable</ImplicitUsings>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
              </PropertyGroup>
              <ItemGroup>
                <Reference Include="{typeof(FastCgiServerOptions).Assembly.Location}" />
                <Reference Include="{typeof(FastCgi.Protocol.RecordHeader).Assembly.Location}" />
                <Reference Include="{typeof(FastCgi.Client.FastCgiHandler).Assembly.Location}" />
                <Reference Include="{typeof(FastCgi.Gateway.FastCgiGatewayOptions).Assembly.Location}" />
              </ItemGroup>
            </Project>
            """);
        return Path.Combine(name, $"{name}.csproj");
    }
}
