using System.Xml.Linq;

namespace FastCgi.PackageTests;

/// <summary>
/// All packages of the repository in a folder, packed from what the solution's build left. Their version is one of its
/// own, so that no cache of packages has it.
/// </summary>
public sealed class Feed : IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();

    public string Version { get; } = $"0.1.0-test.{Guid.NewGuid():N}"[..24];

    internal static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    internal string Folder => _directory.File("feed");

    public static IEnumerable<string> Names => Directory.GetDirectories(Path.Combine(Repository.Root, "src"))
        .Select(static folder => Path.GetFileName(folder)!)
        .Where(static name => File.Exists(Path.Combine(Repository.Root, "src", name, "README.md")))
        .Order(StringComparer.Ordinal);

    public async ValueTask InitializeAsync() =>
        await PackAsync(_directory, Repository.Root, Folder, builds: false, "NoBuild=true", $"PackageVersion={Version}");

    public ValueTask DisposeAsync()
    {
        _directory.Dispose();
        return ValueTask.CompletedTask;
    }

    public ZipArchive Open(string name, string extension = "nupkg") =>
        ZipFile.OpenRead(Path.Combine(Folder, $"{name}.{Version}.{extension}"));

    public XElement Metadata(string name)
    {
        using var package = Open(name);
        using var nuspec = package.GetEntry($"{name}.nuspec")!.Open();
        return XDocument.Load(nuspec).Root!.Elements().Single();
    }

    /// <summary>Packs what is below <paramref name="root"/>, in one build.</summary>
    internal static async Task PackAsync(
        WorkDirectory directory, string root, string folder, bool builds, params string[] properties)
    {
        var project = directory.File($"pack-{Guid.NewGuid():N}.proj");
        string[] all = [.. properties, "Configuration=Release", $"PackageOutputPath={folder}"];
        await File.WriteAllTextAsync(project, $"""
            <Project>
              <Target Name="Pack">
                <ItemGroup><Packed Include="{root}/src/*/*.csproj" Exclude="{root}/src/FastCgi.StartupHook/*" /></ItemGroup>
                <MSBuild Projects="@(Packed)" Targets="Restore" Properties="Restoring=true" Condition="{builds}" />
                <MSBuild Projects="@(Packed)" Targets="Pack" Properties="{string.Join(';', all)}" BuildInParallel="{!builds}" />
              </Target>
            </Project>
            """);
        await Sdk.RunAsync(directory, directory.Path, "msbuild", project, "-t:Pack", "-nologo", "-v:q", "-m");
    }
}
