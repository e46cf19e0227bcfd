using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text;
using System.Text.Json;

namespace FastCgi.PackageTests;

/// <summary>What is in a package, and that it is what the tests ran.</summary>
public sealed class PackageTests(Feed feed)
{
    // Of the Portable PDB format: the source of a file stands in the symbols.
    private static readonly Guid s_embeddedSource = new("0E8A571B-6926-466E-B4AD-8AB04611F5FE");

    public static TheoryData<string> Names => [.. Feed.Names];

    public static TheoryData<string> Libraries =>
        [.. Feed.Names.Where(name => name is not ("FastCgi.Templates" or "FastCgi.Tool"))];

    [Theory, MemberData(nameof(Names))]
    public void A_package_says_what_it_is(string name)
    {
        var metadata = feed.Metadata(name);

        string Value(string element) => metadata.Elements().Single(e => e.Name.LocalName == element).Value;
        Assert.Equal((name, feed.Version), (Value("id"), Value("version")));
        Assert.Equal(("MIT", "icon.png", "README.md"), (Value("license"), Value("icon"), Value("readme")));
        Assert.Contains("fastcgi", Value("tags"), StringComparison.Ordinal);
        Assert.All((string[])["authors", "copyright", "description"], element => Assert.NotEmpty(Value(element)));

        using var package = feed.Open(name);
        Assert.NotNull(package.GetEntry("icon.png"));
        var readme = Read(package, "README.md");
        Assert.StartsWith($"# {name}\n", readme, StringComparison.Ordinal);
        Assert.DoesNotContain("](", readme, StringComparison.Ordinal);
    }

    /// <summary>
    /// <c>dotnet pack</c> restores a project with what it references. A fresh clone has nothing restored yet, and the
    /// templates are packed by the tool.
    /// </summary>
    [Fact]
    public async Task The_templates_are_packed_from_a_fresh_clone_too()
    {
        using var directory = new WorkDirectory();
        var graph = directory.File("restored.json");
        var project = Path.Combine(Repository.Root, "src", "FastCgi.Templates", "FastCgi.Templates.csproj");

        await Sdk.RunAsync(
            directory,
            directory.Path,
            "msbuild", project, "-t:GenerateRestoreGraphFile", $"-p:RestoreGraphOutputPath={graph}", "-nologo", "-v:q");

        using var restored = JsonDocument.Parse(await File.ReadAllBytesAsync(graph));
        var projects = restored.RootElement.GetProperty("projects").EnumerateObject().Select(static p => p.Name);
        Assert.Contains(projects, static name => Path.GetFileName(name) == "FastCgi.Tool.csproj");
    }

    [Fact]
    public void The_server_and_the_client_need_nothing_but_the_protocol()
    {
        foreach (var name in (string[])["FastCgi.AspNetCore", "FastCgi.Client", "FastCgi.Protocol"])
        {
            var dependencies = feed.Metadata(name).Descendants()
                .Where(element => element.Name.LocalName == "dependency").Select(element => element.Attribute("id")!.Value);

            Assert.Equal(name == "FastCgi.Protocol" ? [] : ["FastCgi.Protocol"], dependencies);
        }
    }

    /// <summary>They use what is internal in it, so another version of it may lack what they call.</summary>
    [Theory]
    [InlineData("FastCgi.Gateway", "FastCgi.AspNetCore")]
    [InlineData("FastCgi.Gateway", "FastCgi.Client")]
    [InlineData("FastCgi.Testing", "FastCgi.AspNetCore")]
    public void A_package_that_uses_internals_of_another_needs_its_own_version_of_it(string name, string other)
    {
        var dependency = feed.Metadata(name).Descendants().Single(
            element => element.Name.LocalName == "dependency" && element.Attribute("id")!.Value == other);

        Assert.Equal($"[{feed.Version}]", dependency.Attribute("version")!.Value);
    }

    [Theory, MemberData(nameof(Libraries))]
    public void The_library_is_the_one_that_was_tested(string name)
    {
        using var package = feed.Open(name);
        var framework = new DirectoryInfo(AppContext.BaseDirectory);
        var tests = Directory.GetDirectories(Path.Combine(Repository.Root, "tests"))
            .Where(static test => test.EndsWith("Tests", StringComparison.Ordinal))
            .Select(test => Path.Combine(test, "bin", framework.Parent!.Name, framework.Name, $"{name}.dll"))
            .Where(File.Exists)
            .ToList();

        var packed = ReadBytes(package, $"lib/net10.0/{name}.dll");

        Assert.NotEmpty(tests);
        Assert.All(tests, tested => Assert.True(
            packed.AsSpan().SequenceEqual(File.ReadAllBytes(tested)), $"{tested} is another build."));
        Assert.NotNull(package.GetEntry($"lib/net10.0/{name}.xml"));
    }

    /// <summary>Applications start with them: FastCgi.Testing is for tests.</summary>
    [Theory, MemberData(nameof(Libraries))]
    public void A_library_is_compiled_ahead_for_each_platform(string name)
    {
        using var package = feed.Open(name);
        var compiled = package.Entries.Select(static entry => entry.FullName)
            .Where(static entry => entry.StartsWith("runtimes/", StringComparison.Ordinal))
            .ToDictionary(static entry => entry, entry => ReadLibrary(package, entry));
        if (name == "FastCgi.Testing")
        {
            Assert.Empty(compiled);
            return;
        }

        var plain = ReadLibrary(package, $"lib/net10.0/{name}.dll");
        Assert.False(plain.HasCode);
        Assert.Equal(
            new Dictionary<string, (Guid, Machine, bool)>
            {
                [$"runtimes/linux-arm64/lib/net10.0/{name}.dll"] = (plain.Version, ForLinux(Machine.Arm64), true),
                [$"runtimes/linux-x64/lib/net10.0/{name}.dll"] = (plain.Version, ForLinux(Machine.Amd64), true),
            },
            compiled);
    }

    [Theory, MemberData(nameof(Libraries))]
    public void The_symbols_have_their_sources_and_no_path_of_a_machine(string name)
    {
        using var symbols = feed.Open(name, "snupkg");
        using var provider = MetadataReaderProvider.FromPortablePdbStream(
            new MemoryStream(ReadBytes(symbols, $"lib/net10.0/{name}.pdb")));
        var reader = provider.GetMetadataReader();
        var embedded = reader.CustomDebugInformation
            .Select(reader.GetCustomDebugInformation)
            .Where(information => reader.GetGuid(information.Kind) == s_embeddedSource)
            .Select(information => information.Parent)
            .ToHashSet();

        Assert.NotEmpty(reader.Documents);
        foreach (var handle in reader.Documents)
        {
            var document = reader.GetString(reader.GetDocument(handle).Name);
            Assert.StartsWith("/_/", document, StringComparison.Ordinal);
            Assert.True(embedded.Contains(handle), $"{document} is not in the symbols.");
        }
    }

    /// <summary>
    /// A copy of the sources in another folder, as another person would have it, packed as the publisher's build packs.
    /// With CI=true the feed is of such a build as well. If it is of another one, a second copy is packed.
    /// </summary>
    [Fact]
    public async Task The_same_sources_are_the_same_packages_wherever_they_stand()
    {
        using var directory = new WorkDirectory();
        var first = await PackCopyAsync(directory, "first");

        if (Differences(first, feed.Folder).Count > 0)
        {
            Assert.Empty(Differences(first, await PackCopyAsync(directory, "a-second-folder/deeper")));
        }
    }

    [Fact]
    public async Task A_publisher_sets_its_address_in_one_place()
    {
        using var directory = new WorkDirectory();
        await feed.PackAsync(
            "FastCgi.AspNetCore",
            [
                "NoBuild=true", "PackageVersion=7.8.9", "Version=7.8.9",
                "PublishedAt=https://forge.example/fastcgi", "Authors=Ann",
            ],
            Repository.Root,
            directory.File("feed"));

        using var package = ZipFile.OpenRead(directory.File("feed/FastCgi.AspNetCore.7.8.9.nupkg"));
        Assert.Contains(
            "](https://forge.example/fastcgi/blob/v7.8.9/docs/configuration.md)", Read(package, "README.md"),
            StringComparison.Ordinal);
        var nuspec = Read(package, "FastCgi.AspNetCore.nuspec");
        Assert.Contains("<authors>Ann</authors>", nuspec, StringComparison.Ordinal);
        Assert.Contains("<projectUrl>https://forge.example/fastcgi</projectUrl>", nuspec, StringComparison.Ordinal);
        Assert.Contains("type=\"git\" url=\"https://forge.example/fastcgi\"", nuspec, StringComparison.Ordinal);
    }

    /// <returns>The folder of the packages, which have the feed's version.</returns>
    private async Task<string> PackCopyAsync(WorkDirectory directory, string name)
    {
        var packages = directory.Subdirectory($"{name}-feed");
        await feed.PackAsync(
            "*",
            ["RunAnalyzers=false", "ContinuousIntegrationBuild=true", $"PackageVersion={feed.Version}"],
            CopyOfSources(directory, name),
            packages);
        return packages;
    }

    /// <summary>What one folder of packages has and the other lacks, or has with other bytes.</summary>
    private static List<string> Differences(string first, string second)
    {
        string[] All(string folder) =>
            [.. Directory.GetFiles(folder).Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal)];
        if (!All(first).SequenceEqual(All(second)))
        {
            return [$"{string.Join(' ', All(first))} are not {string.Join(' ', All(second))}."];
        }

        List<string> differences = [];
        foreach (var package in All(first))
        {
            using var one = ZipFile.OpenRead(Path.Combine(first, package));
            using var other = ZipFile.OpenRead(Path.Combine(second, package));
            if (!one.Entries.Select(static e => e.FullName).SequenceEqual(other.Entries.Select(static e => e.FullName)))
            {
                differences.Add($"{package}: the names of its entries differ.");
                continue;
            }

            differences.AddRange(one.Entries.Select(static entry => entry.FullName)
                .Where(entry => !ReadBytes(one, entry).AsSpan().SequenceEqual(ReadBytes(other, entry)))
                .Select(entry => $"{package}: {entry} differs."));
        }

        return differences;
    }

    private string CopyOfSources(WorkDirectory directory, string name)
    {
        var root = directory.Subdirectory(name);
        CopyCommit(root);
        foreach (var file in (string[])["Directory.Build.props", ".editorconfig", "global.json"])
        {
            File.Copy(Path.Combine(Repository.Root, file), Path.Combine(root, file));
        }

        // The tool has tested configurations in it.
        foreach (var folder in (string[])["src", "samples/web-servers", "docs/systemd"])
        {
            Repository.CopySources(folder, Path.Combine(root, folder));
        }

        return root;
    }

    /// <summary>A package names its commit and its repository: copies as much of a clone as tells these.</summary>
    private void CopyCommit(string root)
    {
        var repository = feed.Metadata("FastCgi.Protocol").Elements()
            .SingleOrDefault(static element => element.Name.LocalName == "repository");
        var settings = Path.Combine(Repository.Root, ".git", "config");
        if (repository?.Attribute("commit") is { } commit && File.Exists(settings))
        {
            var clone = Path.Combine(root, ".git");
            Directory.CreateDirectory(Path.Combine(clone, "objects"));
            Directory.CreateDirectory(Path.Combine(clone, "refs"));
            File.WriteAllText(Path.Combine(clone, "HEAD"), commit.Value);
            File.Copy(settings, Path.Combine(clone, "config"));
        }
    }

    /// <summary>Which build a library is, and the code beside its IL.</summary>
    private static (Guid Version, Machine Machine, bool HasCode) ReadLibrary(ZipArchive package, string entry)
    {
        using var library = new PEReader(new MemoryStream(ReadBytes(package, entry)));
        var metadata = library.GetMetadataReader();
        return (
            metadata.GetGuid(metadata.GetModuleDefinition().Mvid),
            library.PEHeaders.CoffHeader.Machine,
            library.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0);
    }

    /// <summary>.NET marks code for Linux so, since the format of Windows has no place for a system.</summary>
    private static Machine ForLinux(Machine machine) => machine ^ (Machine)0x7B79;

    private static string Read(ZipArchive package, string entry) => Encoding.UTF8.GetString(ReadBytes(package, entry));

    private static byte[] ReadBytes(ZipArchive package, string entry)
    {
        using var content = package.GetEntry(entry)!.Open();
        using var bytes = new MemoryStream();
        content.CopyTo(bytes);
        return bytes.ToArray();
    }
}
