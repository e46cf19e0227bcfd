namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>Who may know whom. A folder sees itself and what is listed for it; the front door sees everything.</summary>
public partial class LayeringTests
{
    private const string Server = "src/FastCgi.AspNetCore";
    private const string Namespace = "FastCgi.AspNetCore";
    private const string Protocol = "FastCgi.Protocol";

    /// <summary>Rooms, and what each may use besides itself.</summary>
    internal static Dictionary<string, string[]> Allowed { get; } = new()
    {
        ["Cgi"] = [],
        ["Diagnostics"] = [],
        ["Files"] = [],
        ["Scheduling"] = ["Diagnostics"],
        ["Server"] = ["Cgi", "Diagnostics", Protocol],
        ["Transport"] = ["Diagnostics", "Files", "Scheduling"],
        ["Authentication"] = ["Cgi", "Diagnostics"],
        ["Requests"] = ["Cgi", "Diagnostics", "Files", "Scheduling", "Server", Protocol],
        ["Connections"] = ["Cgi", "Diagnostics", "Files", "Requests", "Scheduling", "Server", "Transport", Protocol],
        ["Operations"] = ["Connections", "Diagnostics", "Server", "Transport"],
        ["Hosting"] = ["Connections", "Diagnostics", "Operations", "Requests", "Server", "Transport", Protocol],
        ["PlainCgi"] = ["Hosting", Protocol],
    };

    /// <summary>The rooms that serve requests. They work without every room of the rim.</summary>
    private static readonly string[] s_core = ["Connections", "Requests", "Scheduling", "Transport"];

    /// <summary>
    /// Status page, systemd, rules by which the process ends, plain CGI, users; and the server that starts them, with its
    /// reload.
    /// </summary>
    private static readonly string[] s_rim = ["Authentication", "Hosting", "Operations", "PlainCgi"];

    /// <summary>Extension methods stand where those who call them look, as the framework's own do.</summary>
    private static readonly string[] s_namespacesOfExtensions =
        ["Microsoft.AspNetCore.Hosting", "Microsoft.Extensions.DependencyInjection", "Microsoft.Extensions.Logging"];

    public static TheoryData<string> Folders => [.. Directory.EnumerateDirectories(Path.Combine(Source.Root, Server))
        .Select(static path => Path.GetFileName(path)!).Where(static name => name is not ("bin" or "obj")).Order()];

    [Theory, MemberData(nameof(Folders))]
    public void A_folder_uses_only_what_lies_below_it(string folder)
    {
        Assert.True(Allowed.ContainsKey(folder), $"{folder} has no place in the order of folders: give it one here.");
        Rule.Holds(Uses(folder, layer => layer != folder && !Allowed[folder].Contains(layer)));
    }

    [Fact]
    public void The_core_does_not_know_the_rim() =>
        Rule.Holds(s_core.SelectMany(static folder => Uses(folder, s_rim.Contains)));

    [Fact]
    public void The_protocol_knows_nobody()
    {
        Rule.Holds(
            from file in Source.Texts("src/FastCgi.Protocol")
            from Match line in ForbiddenImport().Matches(file.Text)
            select $"{file.Path}: {line.Value}");
    }

    [Fact]
    public void A_namespace_is_its_folder()
    {
        Rule.Holds(
            from file in Source.Texts(Server)
            let relative = file.Path[Server.Length..file.Path.LastIndexOf('/')]
            let expected = Namespace + relative.Replace('/', '.')
            let found = NamespaceLine().Match(file.Text)
            where found.Success && found.Groups[1].Value != expected
                && !(relative.Length == 0 && s_namespacesOfExtensions.Contains(found.Groups[1].Value))
            select $"{file.Path} is in {found.Groups[1].Value}, not in {expected}");
    }

    private static IEnumerable<string> Uses(string folder, Predicate<string> isWrong) =>
        from file in Source.Texts($"{Server}/{folder}")
        from layer in LayersUsedBy(file.Text)
        where isWrong(layer)
        select $"{file.Path} uses {layer}";

    /// <summary>Namespaces named by a using line or in full, as folders of the server.</summary>
    private static IEnumerable<string> LayersUsedBy(string text) =>
        LayerName().Matches(NamespaceLine().Replace(Comment().Replace(text, ""), ""))
            .Select(static match => match.Groups[2].Success ? match.Groups[2].Value : Protocol)
            .Where(static layer => layer == Protocol || Allowed.ContainsKey(layer))
            .Distinct();

    [GeneratedRegex(@"^using .*(?:AspNetCore|System\.IO|System\.Net).*$", RegexOptions.Multiline)]
    private static partial Regex ForbiddenImport();

    [GeneratedRegex(@"//[^\n]*|""(\\.|[^""\\\n])*""")]
    private static partial Regex Comment();

    [GeneratedRegex(@"\bFastCgi\.(AspNetCore\.(\w+)|Protocol\b)")]
    private static partial Regex LayerName();

    [GeneratedRegex(@"^namespace ([\w.]+)", RegexOptions.Multiline)]
    private static partial Regex NamespaceLine();
}
