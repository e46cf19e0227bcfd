namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// The types of <c>src</c>, read from its text: where each is declared, and which names its files use. A word after a
/// dot is a member, not a type.
/// </summary>
internal sealed partial class SourceStructure
{
    private const string Folder = "src";

    private readonly List<SourceFile> _files;

    private SourceStructure() => _files = [.. Source.Files(Folder).Select(Read)];

    public static SourceStructure Current { get; } = new();

    /// <summary>Top-level types by name, with every file that declares a part.</summary>
    public ILookup<string, SourceFile> Declarations => field ??= _files
        .SelectMany(static file => file.Types.Select(type => (type, file)))
        .ToLookup(static pair => pair.type, static pair => pair.file);

    public IEnumerable<SourceFile> Files => _files;

    /// <summary>For each folder, the other folders whose types its files name.</summary>
    public Dictionary<string, HashSet<string>> UsesByFolder(string[] except) => Graph(
        from file in _files
        from name in NamesIn(file)
        from home in Declarations[name]
        where home.Folder != file.Folder && !except.Contains(home.Folder) && !except.Contains(file.Folder)
        select (file.Folder, home.Folder));

    /// <summary>Each use of a type of one folder by a file of the other, as "file uses type".</summary>
    public IEnumerable<string> Uses(string fromFolder, string toFolder) =>
        from file in _files
        where file.Folder == fromFolder
        from name in NamesIn(file)
        where Declarations[name].Any(home => home.Folder == toFolder)
        select $"{file.Path} uses {name}";

    private static Dictionary<string, HashSet<string>> Graph(IEnumerable<(string From, string To)> edges) => edges
        .GroupBy(static edge => edge.From, static edge => edge.To)
        .ToDictionary(static group => group.Key, static group => group.ToHashSet());

    private IEnumerable<string> NamesIn(SourceFile file) => file.Words
        .Where(word => Declarations.Contains(word) && !Declarations[word].Contains(file));

    private static SourceFile Read(string path)
    {
        var lines = File.ReadAllLines(path);
        var text = CommentOrString().Replace(string.Join('\n', lines), " ");
        var declared = Declaration().Matches(text);
        return new SourceFile(
            Source.Relative(path),
            lines,
            [.. declared.Select(static match => match.Groups["name"].Value).Distinct()],
            [.. TypeName().Matches(text).Select(static match => match.Value).Distinct()]);
    }

    [GeneratedRegex(@"//[^\n]*|/\*.*?\*/|""(?:\\.|[^""\\])*""", RegexOptions.Singleline)]
    private static partial Regex CommentOrString();

    [GeneratedRegex(
        @"^(?:\[[^\n]*\]\s*)*"
        + @"(?:(?:public|internal|private|protected|static|sealed|abstract|readonly|ref|file|unsafe|partial)\s+)*"
        + @"(?:class|struct|interface|enum|record(?:\s+struct|\s+class)?|delegate\s+[\w<>\[\]?]+)\s+(?<name>\w+)",
        RegexOptions.Multiline)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"(?<![.\w])[A-Z]\w+\b")]
    private static partial Regex TypeName();

    /// <param name="Types">The top-level types with a declaration here.</param>
    /// <param name="Words">What may be a type, comments and strings apart.</param>
    public sealed record SourceFile(string Path, string[] Lines, string[] Types, string[] Words)
    {
        /// <summary>Below <c>src</c>.</summary>
        public string Folder { get; } = Path[(SourceStructure.Folder.Length + 1)..Path.LastIndexOf('/')];
    }
}
