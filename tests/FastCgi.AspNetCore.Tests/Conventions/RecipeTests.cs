namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// Pages, samples, messages and advice give one recipe: the host with the client's port, and the map that it needs.
/// </summary>
public sealed partial class RecipeTests
{
    private const string Map = "map $http_host $host_port { ~(?<port_of_host>:[0-9]+)$ $port_of_host; }";

    private static readonly string[] s_kinds = [".md", ".conf", ".cs", ".yaml", ".json"];

    [Fact]
    public void HTTP_HOST_has_one_value() => Rule.Holds(
        from file in Files()
        from Match match in Value().Matches(file.Text)
        where match.Groups[1].Value != "$host$host_port"
        select $"{file.Path}: {match.Value}");

    [Fact]
    public void The_map_of_its_port_is_one_line() => Rule.Holds(
        from file in Files()
        from Match match in MapOfPort().Matches(file.Text)
        let line = match.Value.Replace("{{", "{", StringComparison.Ordinal).Replace("}}", "}", StringComparison.Ordinal)
        where line != Map
        select $"{file.Path}: {match.Value}");

    /// <summary>nginx does not start with a variable that nothing defines.</summary>
    [Fact]
    public void A_configuration_that_uses_it_defines_it() => Rule.Holds(
        from file in Files()
        where file.Path.EndsWith(".conf", StringComparison.Ordinal) || file.Path.EndsWith(".yaml", StringComparison.Ordinal)
        where file.Text.Contains("$host$host_port", StringComparison.Ordinal)
        where !file.Text.Contains(Map, StringComparison.Ordinal)
        select file.Path);

    private static IEnumerable<(string Path, string Text)> Files() =>
        from path in ((string[])["docs", "samples", "src"])
            .SelectMany(static folder => Directory.EnumerateFiles(
                Path.Combine(Source.Root, folder), "*", SearchOption.AllDirectories))
            .Append(Path.Combine(Source.Root, "README.md"))
        where s_kinds.Contains(Path.GetExtension(path))
        where !path.Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj")
        select (Source.Relative(path), File.ReadAllText(path));

    [GeneratedRegex(@"(?:fastcgi|scgi)_param HTTP_HOST (\$[^;""` ]*)")]
    private static partial Regex Value();

    [GeneratedRegex(@"map \$http_host \$host_port[^\n]*?\}\}?(?=['""`\n])")]
    private static partial Regex MapOfPort();
}
