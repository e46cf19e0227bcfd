namespace FastCgi.Tool.Tests.Packaging;

/// <summary>
/// <c>src/pack --install</c> on empty packages of our names, while the source that users have configured has packages of
/// somebody else by the same names.
/// </summary>
public sealed class PackScriptTests
{
    private const string Ours = "0.1.0";

    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(5);

    /// <summary>NuGet would take the highest version of the tool, and of the server the one that a project names.</summary>
    private static readonly (string Name, string Theirs, string Properties)[] s_packages =
    [
        ("FastCgi.AspNetCore", Ours, ""),
        ("FastCgi.Templates", "9.9.9", "<PackageType>Template</PackageType>"),
        ("FastCgi.Tool", "9.9.9", "<PackAsTool>true</PackAsTool><OutputType>Exe</OutputType>"),
    ];

    [Fact]
    public async Task Only_what_was_packed_is_installed()
    {
        using var directory = new WorkDirectory();
        var other = directory.Subdirectory("other");
        var root = directory.Subdirectory("root");
        var script = Path.Combine(root, "src", "pack");
        foreach (var (name, theirs, properties) in s_packages)
        {
            var folder = Directory.CreateDirectory(Path.Combine(root, "src", name)).FullName;
            await File.WriteAllTextAsync(Path.Combine(folder, "Program.cs"), "class Program { static void Main() { } }");
            await File.WriteAllTextAsync(Path.Combine(folder, $"{name}.csproj"), $"""
                <Project Sdk="Microsoft.NET.Sdk">
                  <PropertyGroup>
                    <TargetFramework>net10.0</TargetFramework>
                    <Version>{Ours}</Version>
                    <PackageVersion Condition="'$(IsTheirs)' == 'true'">{theirs}</PackageVersion>
                    {properties}
                  </PropertyGroup>
                </Project>
                """);
        }

        var all = s_packages.Select(package => $"<Project Path=\"src/{package.Name}/{package.Name}.csproj\" />");
        var solution = Path.Combine(root, "All.slnx");
        await File.WriteAllTextAsync(solution, $"<Solution>{string.Concat(all)}</Solution>");
        await RunAsync(directory, "dotnet", ["pack", solution, "-o", other, "-p:IsTheirs=true", "-v:q"]);
        File.Copy(Path.Combine(Repository.Root, "src", "pack"), script);
        await File.WriteAllTextAsync(
            Path.Combine(directory.Subdirectory("home/.nuget/NuGet"), "NuGet.Config"),
            $"""<configuration><packageSources><add key="other" value="{other}" /></packageSources></configuration>""");

        await RunAsync(directory, "bash", [script, "--install"]);

        Assert.Contains(
            Ours, await RunAsync(directory, "dotnet", ["tool", "list", "--global"]), StringComparison.Ordinal);
        // A restore takes the version that it asks for from here, and asks no source.
        var cached = directory.File($"packages/fastcgi.aspnetcore/{Ours}/.nupkg.metadata");
        Assert.Contains(
            $"\"{Path.Combine(root, "artifacts", "packages")}\"", await File.ReadAllTextAsync(cached), StringComparison.Ordinal);
    }

    private static async Task<string> RunAsync(WorkDirectory directory, string program, string[] arguments)
    {
        var environment = new Dictionary<string, string>(BuildEnvironment.In(directory))
        {
            ["HOME"] = directory.Subdirectory("home"),
            ["DOTNET_CLI_HOME"] = directory.Subdirectory("home"),
            ["NUGET_PACKAGES"] = directory.File("packages"),
        };
        return $"{await ChildProcess.SucceedAsync(program, arguments, directory.Path, environment, s_deadline)}";
    }
}
