using System.Xml.Linq;

namespace FastCgi.PackageTests;

/// <summary>
/// All packages of the repository in a folder, packed from what the solution's build left. Their version is one of its
/// own, so that no cache of packages has it. It is no prerelease, as users install the tool without naming a version.
/// </summary>
public sealed class Feed : IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();

    public string Version { get; } = $"0.0.{Random.Shared.Next(1_000_000, int.MaxValue)}";

    internal static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    internal string Folder => _directory.File("feed");

    /// <summary>
    /// Where the SDK restores what comes from the usual sources, once for all tests: the runtime and the compilers of
    /// a publish have some hundred MB.
    /// </summary>
    internal string Restored => _directory.File("home/.nuget/packages");

    public static IEnumerable<string> Names => Directory.GetDirectories(Path.Combine(Repository.Root, "src"))
        .Select(static folder => Path.GetFileName(folder)!)
        .Where(static name => File.Exists(Path.Combine(Repository.Root, "src", name, "README.md")))
        .Order(StringComparer.Ordinal);

    public async ValueTask InitializeAsync() =>
        await PackAsync("*", ["NoBuild=true", $"PackageVersion={Version}"], Repository.Root, Folder);

    public ValueTask DisposeAsync()
    {
        _directory.Dispose();
        return ValueTask.CompletedTask;
    }

    public ZipArchive Open(string name, string extension = "nupkg") => ZipFile.OpenRead(FileOf(name, extension));

    public XElement Metadata(string name)
    {
        using var package = Open(name);
        using var nuspec = package.GetEntry($"{name}.nuspec")!.Open();
        return XDocument.Load(nuspec).Root!.Elements().Single();
    }

    /// <summary>The tool's package once more, as one of another version.</summary>
    internal async Task CopyToolAsync(string version, string folder)
    {
        const string Name = "FastCgi.Tool";
        var copy = Path.Combine(folder, $"{Name}.{version}.nupkg");
        File.Copy(FileOf(Name), copy);
        var nuspec = Metadata(Name);
        nuspec.Elements().Single(static element => element.Name.LocalName == "version").Value = version;
        await using var package = await ZipFile.OpenAsync(copy, ZipArchiveMode.Update);
        package.GetEntry($"{Name}.nuspec")!.Delete();
        await using var content = await package.CreateEntry($"{Name}.nuspec").OpenAsync();
        await nuspec.Document!.SaveAsync(content, SaveOptions.None, CancellationToken.None);
    }

    private string FileOf(string name, string extension = "nupkg") =>
        Path.Combine(Folder, $"{name}.{Version}.{extension}");

    /// <summary>Packs projects, in one build.</summary>
    /// <param name="name">Of a project, or "*" for all that ship.</param>
    /// <param name="properties">With "NoBuild=true" it packs what another build left.</param>
    internal async Task PackAsync(string name, string[] properties, string root, string folder)
    {
        string[] all = [.. properties, "Configuration=Release", $"PackageOutputPath={folder}"];
        var project = _directory.File($"pack-{Guid.NewGuid():N}.proj");
        await File.WriteAllTextAsync(project, $"""
            <Project>
              <ItemGroup>
                <Packed Include="{root}/src/{name}/*.csproj" Exclude="{root}/src/FastCgi.StartupHook/*" />
              </ItemGroup>
              <Target Name="Pack">
                <MSBuild Projects="@(Packed)" Targets="Restore" Properties="Restoring=true"
                         Condition="{!properties.Contains("NoBuild=true")}" />
                <MSBuild Projects="@(Packed)" Targets="Pack" Properties="{string.Join(';', all)}" />
              </Target>
            </Project>
            """);
        // The start of another process of MSBuild takes longer than it wins: the machine has other work.
        await Sdk.RunAsync(_directory, _directory.Path, "msbuild", project, "-t:Pack", "-nologo", "-v:q", "-m:1");
    }
}
