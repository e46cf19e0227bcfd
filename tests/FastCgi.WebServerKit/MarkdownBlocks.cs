using System.Text.RegularExpressions;

namespace FastCgi.WebServerKit;

/// <summary>The fenced blocks of a document, by their language.</summary>
internal static partial class MarkdownBlocks
{
    public static string[] Read(string path, string language) => In(File.ReadAllText(path), language);

    /// <summary>Of one section: from its heading to the next one of its level or above.</summary>
    public static string[] Read(string path, string language, string section)
    {
        var text = File.ReadAllText(path);
        var heading = Regex.Match(text, $"^(#+) {Regex.Escape(section)}$", RegexOptions.Multiline);
        if (!heading.Success)
        {
            throw new InvalidOperationException($"{path} has no section {section}.");
        }

        // A comment of a fence begins with one # too, so the end is never sought by the title's level.
        var rest = text[(heading.Index + heading.Length)..];
        var end = Regex.Match(rest, $"^#{{2,{heading.Groups[1].Length}}} ", RegexOptions.Multiline);
        return In(end.Success ? rest[..end.Index] : rest, language);
    }

    /// <summary>The text with this test's file or address in the place of the documented one, which must be there.</summary>
    public static string With(this string text, string documented, string actual)
    {
        Assert.Contains(documented, text, StringComparison.Ordinal);
        return text.Replace(documented, actual, StringComparison.Ordinal);
    }

    public static string[] Links(string path) =>
        [.. Link().Matches(File.ReadAllText(path)).Select(match => match.Groups["target"].Value)];

    public static string[] Names(string path) =>
        [.. Code().Matches(File.ReadAllText(path)).Select(match => match.Groups["text"].Value)];

    /// <summary>What a link to a heading has behind its #, as forges make it.</summary>
    public static HashSet<string> Anchors(string path) =>
        [.. Heading().Matches(Fence().Replace(File.ReadAllText(path), ""))
            .Select(match => Marks().Replace(LinkText().Replace(match.Groups["text"].Value, "$1"), ""))
            .Select(static text => text.ToLowerInvariant().Replace(' ', '-'))];

    private static string[] In(string text, string language) =>
        [.. Fence().Matches(text)
            .Where(match => match.Groups["language"].Value == language)
            .Select(match => match.Groups["text"].Value)];

    [GeneratedRegex("^#+ (?<text>.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)")]
    private static partial Regex LinkText();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex Marks();

    [GeneratedRegex("^```(?<language>[a-z]+)\n(?<text>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex(@"\]\((?<target>[^)]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("`(?<text>[^`\n]+)`")]
    private static partial Regex Code();
}
