namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>Lines fit a screen, and a folder is below those that use it.</summary>
public sealed partial class StructureTests
{
    private const int MostColumns = 120;

    /// <summary>The public types of a package, which everything in it uses and which use everything.</summary>
    private static readonly string[] s_frontDoors =
        ["FastCgi.AspNetCore", "FastCgi.Client", "FastCgi.Gateway", "FastCgi.Testing"];

    private static SourceStructure Sources => SourceStructure.Current;

    [Fact]
    public void No_line_has_more_than_120_columns() => Holds(
        Sources.Files.Where(static file => LongLines(file).Any()).Select(static file => file.Path),
        static path => "at " + string.Join(", ", LongLines(Sources.Files.First(file => file.Path == path))));

    /// <summary>It begins with the thing or a verb.</summary>
    [Fact]
    public void No_summary_begins_with_a_pronoun() => Rule.Holds(
        from file in Source.Texts("src")
        from match in Pronoun().Matches(file.Text)
        select $"{file.Path}: {Blanks().Replace(match.Value, " ")} …");

    [Fact]
    public void Folders_form_no_cycle()
    {
        var uses = Sources.UsesByFolder(except: s_frontDoors);
        var within = (
            from folder in uses.Keys
            from other in uses[folder]
            where ReachedFrom(other, uses).Contains(folder)
            select (From: folder, To: other)).ToList();
        Holds(
            within.Select(static edge => edge.From).Distinct(),
            folder => string.Concat(within
                .Where(edge => edge.From == folder)
                .SelectMany(static edge => Sources.Uses(edge.From, edge.To))
                .Select(static use => $"\n  {use}")));
    }

    private static HashSet<string> ReachedFrom(string folder, Dictionary<string, HashSet<string>> uses)
    {
        HashSet<string> reached = [];
        var left = new Stack<string>([folder]);
        while (left.TryPop(out var next))
        {
            if (reached.Add(next))
            {
                uses.GetValueOrDefault(next, []).ToList().ForEach(left.Push);
            }
        }

        return reached;
    }

    private static void Holds(IEnumerable<string> offenders, Func<string, string> detail) => Rule.Holds(
        offenders.Distinct().Order(StringComparer.Ordinal).Select(name => $"{name} {detail(name)}"));

    private static IEnumerable<int> LongLines(SourceStructure.SourceFile file) => file.Lines.Index()
        .Where(static line => line.Item.Length > MostColumns)
        .Select(static line => line.Index + 1);

    [GeneratedRegex(@"<summary>[\s/]*(?:What|Who|Those|Whose|Whoever|Nobody)\b")]
    private static partial Regex Pronoun();

    [GeneratedRegex(@"[\s/]+")]
    private static partial Regex Blanks();
}
