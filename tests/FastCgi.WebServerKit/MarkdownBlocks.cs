using System.Text.RegularExpressions;

namespace FastCgi.WebServerKit;

/// <summary>The fenced blocks of a document, by their language.</summary>
internal static partial class MarkdownBlocks
{
    public static string[] Read(string path, string language) =>
        [.. Fence().Matches(File.ReadAllText(path))
            .Where(match => match.Groups["language"].Value == language)
            .Select(match => match.Groups["text"].Value)];

    public static string[] Links(string path) =>
        [.. Link().Matches(File.ReadAllText(path)).Select(match => match.Groups["target"].Value)];

    public static string[] Names(string path) =>
        [.. Code().Matches(File.ReadAllText(path)).Select(match => match.Groups["text"].Value)];

    [GeneratedRegex("^```(?<language>[a-z]+)\n(?<text>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex(@"\]\((?<target>[^)]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("`(?<text>[^`\n]+)`")]
    private static partial Regex Code();
}
