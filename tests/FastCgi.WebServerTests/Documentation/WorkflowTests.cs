using YamlDotNet.RepresentationModel;

namespace FastCgi.WebServerTests.Documentation;

/// <summary>The workflows cannot run here. They are read, and their steps are scripts of this repository.</summary>
public sealed class WorkflowTests
{
    private static readonly string _folder = Path.Combine(Repository.Root, ".github");

    public static TheoryData<string> Files() =>
    [
        .. Directory.GetFiles(_folder, "*.yml", SearchOption.AllDirectories).Select(static file => Path.GetFileName(file)),
    ];

    [Theory]
    [MemberData(nameof(Files))]
    public void A_file_is_YAML(string name) => Assert.NotEmpty(Read(name).Children);

    [Fact]
    public void The_tests_are_those_of_the_build_machine() => Assert.Contains("bash .ci/run", Commands("test.yml"));

    /// <summary>It fails on links that lead nowhere, and on public types without a summary.</summary>
    [Fact]
    public void The_site_of_the_pages_is_made() => Assert.Contains("bash docs/site", Commands("test.yml"));

    [Fact]
    public void A_release_passes_all_tests_before_it_packs_and_is_attested_before_it_is_published()
    {
        var steps = Steps("release.yml")
            .Select(static step => Text(step, "run") ?? Text(step, "uses")!)
            .Select(static text => text.Split([' ', '@'])[..Math.Min(3, text.Split([' ', '@']).Length)])
            .Select(static words => string.Join(' ', words)).ToList();

        string[] order = ["bash .ci/run", "bash src/pack", "actions/attest-build-provenance", "dotnet nuget push"];
        var places = order.Select(step => steps.FindIndex(one => one.StartsWith(step, StringComparison.Ordinal))).ToList();

        Assert.DoesNotContain(-1, places);
        Assert.Equal(places.Order(), places);
    }

    [Theory]
    [InlineData("test.yml")]
    [InlineData("release.yml")]
    public void Scripts_that_steps_run_are_there(string name) => Assert.All(
        Commands(name).Select(static command => command.Split(' ')).Where(static words => words[0] == "bash"),
        static words => Assert.True(File.Exists(Path.Combine(Repository.Root, words[1])), words[1]));

    [Theory]
    [InlineData("test.yml")]
    [InlineData("release.yml")]
    public void A_job_may_do_only_what_it_is_told_and_ends(string name)
    {
        var workflow = Read(name);
        Assert.Equal("read", Text((YamlMappingNode)workflow["permissions"], "contents"));
        Assert.All(
            ((YamlMappingNode)workflow["jobs"]).Children.Values.Cast<YamlMappingNode>(),
            static job => Assert.InRange(int.Parse(Text(job, "timeout-minutes")!, CultureInfo.InvariantCulture), 1, 60));
    }

    private static IEnumerable<string> Commands(string name) =>
        Steps(name).Select(static step => Text(step, "run")).OfType<string>();

    private static IEnumerable<YamlMappingNode> Steps(string name) =>
        ((YamlMappingNode)Read(name)["jobs"]).Children.Values.Cast<YamlMappingNode>()
            .SelectMany(static job => (YamlSequenceNode)job["steps"]).Cast<YamlMappingNode>();

    private static string? Text(YamlMappingNode node, string key) =>
        node.Children.TryGetValue(key, out var value) ? ((YamlScalarNode)value).Value : null;

    private static YamlMappingNode Read(string name)
    {
        using var reader = File.OpenText(Assert.Single(Directory.GetFiles(_folder, name, SearchOption.AllDirectories)));
        var stream = new YamlStream();
        stream.Load(reader);
        return (YamlMappingNode)Assert.Single(stream.Documents).RootNode;
    }
}
