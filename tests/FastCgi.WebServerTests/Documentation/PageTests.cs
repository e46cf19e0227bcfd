using Microsoft.Extensions.Configuration;

namespace FastCgi.WebServerTests.Documentation;

/// <summary>
/// The pages of the documentation say only what is true: their programs compile, their settings are known, their links
/// lead somewhere. A block of C# that is not ours, to be compared with, is marked <c>cs</c> and not <c>csharp</c>.
/// </summary>
public sealed class PageTests
{
    private const string LimitPrefix = "Limits.";

    public static TheoryData<string> Pages =>
    [
        "README.md",
        .. Directory.EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md", SearchOption.AllDirectories)
            .Concat(Directory.EnumerateFiles(Path.Combine(Repository.Root, "samples"), "README.md")
            .Concat(Directory.EnumerateDirectories(Path.Combine(Repository.Root, "samples"))
                .Concat(Directory.EnumerateDirectories(Path.Combine(Repository.Root, "src")))
                .Select(static folder => Path.Combine(folder, "README.md")).Where(File.Exists)))
            .Select(static path => Path.GetRelativePath(Repository.Root, path)),
    ];

    [Fact]
    public Task The_programs_of_the_documentation_compile() => DocumentedPrograms.CompileAsync();

    [Theory, MemberData(nameof(Pages))]
    public async Task The_settings_of_a_page_are_known_to_the_server(string page)
    {
        foreach (var json in MarkdownBlocks.Read(Path.Combine(Repository.Root, page), "json"))
        {
            var log = new LogRecorder();
            var builder = WebApplication.CreateSlimBuilder();
            using var settings = new MemoryStream(Encoding.UTF8.GetBytes(OnFreePort(json)));
            builder.Configuration.AddJsonStream(settings);
            builder.Logging.ClearProviders().AddProvider(log).SetMinimumLevel(LogLevel.Warning);
            builder.WebHost.UseFastCgi();
            await using var app = builder.Build();

            await app.StartAsync().Within("a start with the documented settings");
            await app.StopAsync().Within("its stop");
            Assert.DoesNotContain(log.Entries, static entry => entry.Level >= LogLevel.Warning);
        }
    }

    /// <summary>A page that no list names is found by nobody.</summary>
    [Fact]
    public void The_contents_and_the_site_name_every_page()
    {
        var docs = Path.Combine(Repository.Root, "docs");
        var contents = MarkdownBlocks.Links(Path.Combine(docs, "README.md"));
        var evidence = MarkdownBlocks.Links(Path.Combine(docs, "evidence", "README.md"));
        var site = File.ReadAllText(Path.Combine(docs, "toc.yml"));
        foreach (var page in Directory.EnumerateFiles(docs, "*.md", SearchOption.AllDirectories)
            .Select(page => Path.GetRelativePath(docs, page)))
        {
            Assert.Contains($"href: {page}\n", site, StringComparison.Ordinal);
            if (Path.GetFileName(page) != "README.md")
            {
                Assert.Contains(
                    Path.GetFileName(page), Path.GetDirectoryName(page) == "evidence" ? evidence : contents);
            }
        }
    }

    /// <summary>A guide begins with what its reader can do.</summary>
    [Fact]
    public void Every_guide_begins_with_what_its_reader_can_do() => Assert.All(
        Directory.EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md"),
        static page => Assert.Matches(
            @"^With (this|these) pages? you ", File.ReadAllLines(page).First(static line => line.Length > 0 && line[0] != '#')));

    [Theory, MemberData(nameof(Pages))]
    public void The_links_of_a_page_lead_somewhere(string page)
    {
        var file = Path.Combine(Repository.Root, page);
        foreach (var link in MarkdownBlocks.Links(file).Where(static link => !link.Contains("://", StringComparison.Ordinal)))
        {
            var parts = link.Split('#');
            var path = parts[0].Length == 0 ? file : Path.GetFullPath(parts[0], Path.GetDirectoryName(file)!);
            Assert.True(File.Exists(path) || Directory.Exists(path), $"{page} links to {link}, which is not there.");
            Assert.True(
                parts.Length == 1 || MarkdownBlocks.Anchors(path).Contains(parts[1]),
                $"{page} links to {link}, and that page has no such heading.");
        }
    }

    /// <summary>Until a package is published, its name on nuget.org may be taken by somebody else.</summary>
    [Theory, MemberData(nameof(Pages))]
    public void A_page_that_installs_a_package_says_from_where(string page)
    {
        var file = Path.Combine(Repository.Root, page);
        var text = File.ReadAllText(file);
        if (page != "README.md"
            && ((string[])["add package FastCgi", "tool install --global FastCgi", "new install FastCgi"]).Any(text.Contains))
        {
            Assert.Contains(
                MarkdownBlocks.Links(file), static link => link.EndsWith("../README.md#install", StringComparison.Ordinal));
        }
    }

    /// <summary>A line that begins with "1. " ends the paragraph above it, and is shown as a list.</summary>
    [Theory, MemberData(nameof(Pages))]
    public void No_wrapped_sentence_begins_a_list(string page)
    {
        var lines = File.ReadAllLines(Path.Combine(Repository.Root, page));
        Assert.Empty(lines.Skip(1).Where((line, i) =>
            line.TrimStart() is ['1', '.' or ')', ' ', ..] && lines[i].TrimEnd() is [.., not ':']));
    }

    [Theory, MemberData(nameof(Pages))]
    public void The_limits_that_a_page_names_exist(string page)
    {
        var limits = typeof(FastCgiServerLimits).GetProperties().Select(static property => property.Name).ToHashSet();
        foreach (var name in MarkdownBlocks.Names(Path.Combine(Repository.Root, page))
            .Where(static name => name.StartsWith(LimitPrefix, StringComparison.Ordinal)))
        {
            Assert.True(limits.Contains(name[LimitPrefix.Length..]), $"{page} names {name}, which is no limit.");
        }
    }

    /// <summary>What a page says of a port holds for any.</summary>
    private static string OnFreePort(string json) =>
        json.Replace("127.0.0.1:9000", "127.0.0.1:0", StringComparison.Ordinal)
        .Replace("0.0.0.0:9000", "127.0.0.1:0", StringComparison.Ordinal)
        .Replace("127.0.0.1:9001", "127.0.0.1:0", StringComparison.Ordinal);
}
