using System.Text.RegularExpressions;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>A type is small, whole and below those that use it.</summary>
public sealed partial class StructureTests
{
    private const int MostLines = 400;
    private const int MostColumns = 120;

    /// <summary>The only type in parts: each of its files is one group of feature interfaces.</summary>
    private const string TypeInParts = "RequestFeatures";

    /// <summary>The public types of a package, which everything in it uses and which use everything.</summary>
    private static readonly string[] s_frontDoors =
        ["FastCgi.AspNetCore", "FastCgi.Client", "FastCgi.Gateway", "FastCgi.Testing"];

    /// <summary>
    /// Types that are one thing by their nature: a connection and its slots, and the events of a scheme of authentication
    /// with their options and context, as ASP.NET Core has them.
    /// </summary>
    private static readonly string[][] s_allowedCycles =
    [
        ["ISlotHost", "RequestSlot"],
        ["FastCgiUserEvents", "FastCgiUserOptions", "FastCgiUserValidatedContext"],
    ];

    private static SourceStructure Sources => SourceStructure.Current;

    [Fact]
    public void No_type_is_longer_than_400_lines_over_all_its_files() => Holds(
        Sources.Declarations.Select(static type => type.Key).Where(static type => type != TypeInParts && Lines(type) > MostLines),
        static type => $"has {Lines(type)} lines");

    [Fact]
    public void Partial_is_for_source_generators() => Holds(
        from type in Sources.Declarations
        where type.Key != TypeInParts
        let parts = type.Where(file => file.Partials.Contains(type.Key)).ToList()
        where parts.Count > 0
        where parts.Count(static file => !file.Path.EndsWith(".Log.cs", StringComparison.Ordinal)) > 1
            || !parts.SelectMany(static file => file.Lines).Any(SourceGenerator().IsMatch)
        select type.Key,
        static type => string.Join(", ", Sources.Declarations[type].Select(static file => file.Path)));

    [Fact]
    public void No_line_has_more_than_120_columns() => Holds(
        Sources.Files.Where(static file => LongLines(file).Any()).Select(static file => file.Path),
        static path => "at " + string.Join(", ", LongLines(Sources.Files.First(file => file.Path == path))));

    [Fact]
    public void Types_form_no_cycle()
    {
        var cycles = Components.Cycles(Sources.UsesByType())
            .Where(static cycle => !s_allowedCycles.Any(allowed => cycle.All(allowed.Contains)))
            .ToList();
        Holds(
            cycles.SelectMany(static cycle => cycle),
            type => "in the cycle of " + string.Join(' ', cycles.First(cycle => cycle.Contains(type))));
    }

    [Fact]
    public void Folders_form_no_cycle()
    {
        var uses = Sources.UsesByFolder(except: s_frontDoors);
        var within = (
            from cycle in Components.Cycles(uses)
            from folder in cycle
            from other in cycle.Where(uses[folder].Contains)
            select (From: folder, To: other)).ToList();
        Holds(
            within.Select(static edge => edge.From).Distinct(),
            folder => string.Concat(within
                .Where(edge => edge.From == folder)
                .SelectMany(static edge => Sources.Uses(edge.From, edge.To))
                .Select(static use => $"\n  {use}")));
    }

    private static void Holds(IEnumerable<string> offenders, Func<string, string> detail) => Rule.Holds(
        offenders.Distinct().Order(StringComparer.Ordinal).Select(name => $"{name} {detail(name)}"));

    private static int Lines(string type) => Sources.Declarations[type].Sum(static file => file.Lines.Length);

    private static IEnumerable<int> LongLines(SourceStructure.SourceFile file) => file.Lines.Index()
        .Where(static line => line.Item.Length > MostColumns)
        .Select(static line => line.Index + 1);

    [GeneratedRegex(@"\[(LoggerMessage|GeneratedRegex|LibraryImport|JsonSerializable)\b")]
    private static partial Regex SourceGenerator();
}
