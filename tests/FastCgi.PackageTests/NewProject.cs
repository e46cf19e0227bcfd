using System.Text.RegularExpressions;

namespace FastCgi.PackageTests;

/// <summary>An empty folder of somebody who has the packages in a folder, and nothing of this repository.</summary>
internal sealed class NewProject : IDisposable
{
    private const string Language =
        "<TargetFramework>net10.0</TargetFramework><Nullable>enable</Nullable><ImplicitUsings>enable</ImplicitUsings>";

    private readonly WorkDirectory _directory = new();
    private readonly WorkDirectory _home;
    private readonly Feed _feed;

    /// <param name="isOffline">
    /// The packages are all that is needed; a publish asks the usual sources for the runtime as well, or takes what
    /// another test has restored.
    /// </param>
    /// <param name="home">Where templates are installed; null for a home of its own.</param>
    /// <param name="source">The folder of packages that users have configured; null for that of the feed.</param>
    public NewProject(Feed feed, bool isOffline = true, WorkDirectory? home = null, string? source = null)
    {
        _feed = feed;
        _home = home ?? _directory;
        Root = _directory.Subdirectory("work");
        var packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES") ?? Path.Combine(
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");

        // Restored into a folder that goes, since nothing may stay; what others have restored before is taken as it is.
        var restored = isOffline ? _directory.File("packages") : feed.Restored;
        File.WriteAllText(Path.Combine(Root, "nuget.config"), $"""
            <configuration>
              <config><add key="globalPackagesFolder" value="{restored}" /></config>
              <fallbackPackageFolders><add key="restored" value="{packages}" /></fallbackPackageFolders>
              <packageSources>
                {(isOffline ? "<clear />" : "")}<add key="folder" value="{source ?? feed.Folder}" />
              </packageSources>
            </configuration>
            """);
    }

    /// <summary>Where everything is.</summary>
    public string Root { get; }

    /// <summary>Runs <c>dotnet</c> in the folder.</summary>
    public Task<string> RunAsync(params string[] arguments) => Sdk.RunAsync(_home, Root, arguments);

    /// <summary>A project of one file, which references one of the packages.</summary>
    public void Write(string name, string sdk, string package, string program, string more = "")
    {
        var folder = Directory.CreateDirectory(Path.Combine(Root, name)).FullName;
        File.WriteAllText(Path.Combine(folder, "Program.cs"), program);
        File.WriteAllText(Path.Combine(folder, $"{name}.csproj"), $"""
            <Project Sdk="{sdk}">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                {Language}
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                <!-- About cancellation, which an example leaves out. -->
                <NoWarn>$(NoWarn);xUnit1051</NoWarn>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="{package}" Version="{_feed.Version}" />
                {more}
              </ItemGroup>
            </Project>
            """);
    }

    /// <summary>A sample, with the packages in the place of the sources.</summary>
    public void CopySample(string name)
    {
        Repository.CopySources(Path.Combine("samples", name), PathOf(name));
        var file = PathOf($"{name}/{name}.csproj");
        File.WriteAllText(file, Regex.Replace(
            File.ReadAllText(file),
            """<ProjectReference Include="[^"]*/([^"/]*)\.csproj" />""",
            $"""<PackageReference Include="$1" Version="{_feed.Version}" />"""));
        File.WriteAllText(
            PathOf("Directory.Build.props"), $"<Project><PropertyGroup>{Language}</PropertyGroup></Project>");
    }

    /// <summary>Copies the project Site.One, with what its build has made.</summary>
    public void CopyTo(NewProject other)
    {
        foreach (var file in Directory.GetFiles(PathOf("Site.One"), "*", SearchOption.AllDirectories))
        {
            var copy = other.PathOf(Path.GetRelativePath(Root, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }

    public string PathOf(string name) => Path.Combine(Root, name);

    public void Dispose() => _directory.Dispose();
}
