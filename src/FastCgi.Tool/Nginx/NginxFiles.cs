using System.Text.RegularExpressions;

namespace FastCgi.Tool.Nginx;

/// <summary>
/// Where included files come from: the disk, or the output of <c>nginx -T</c>, which has them one behind the other.
/// </summary>
internal sealed partial class NginxFiles
{
    /// <summary>Where Debian's nginx looks for files, if the main file lies elsewhere.</summary>
    private const string UsualPrefix = "/etc/nginx";

    private readonly Dictionary<string, string>? _dump;
    private readonly string[] _prefixes;

    private NginxFiles(string main, Dictionary<string, string>? dump)
    {
        Main = main;
        _dump = dump;
        _prefixes = [Path.GetDirectoryName(main) ?? "/", UsualPrefix];
    }

    /// <summary>The name of the main file.</summary>
    public string Main { get; }

    /// <summary>Files of the disk, from a main file on.</summary>
    public static NginxFiles OnDisk(string path) => new(Path.GetFullPath(path), null);

    /// <summary>A text: the output of <c>nginx -T</c>, or one file.</summary>
    public static NginxFiles Of(string text, string name)
    {
        MatchCollection heads = FileHead().Matches(text);
        if (heads.Count == 0)
        {
            return new NginxFiles(name, new Dictionary<string, string> { [name] = text });
        }

        var files = new Dictionary<string, string>(StringComparer.Ordinal);
        for (int i = 0; i < heads.Count; i++)
        {
            int begin = heads[i].Index + heads[i].Length;
            int end = i + 1 < heads.Count ? heads[i + 1].Index : text.Length;
            files.TryAdd(heads[i].Groups[1].Value, text[begin..end]);
        }

        return new NginxFiles(heads[0].Groups[1].Value, files);
    }

    public string Read(string path) => _dump is not null && _dump.TryGetValue(path, out string? text)
        ? text
        : File.ReadAllText(path);

    /// <summary>The files that an include names, in nginx's order; none if there is no such file.</summary>
    public IReadOnlyList<string> Find(string pattern)
    {
        foreach (string prefix in Path.IsPathRooted(pattern) ? ["/"] : _prefixes)
        {
            string path = Path.Combine(prefix, pattern);
            string[] found = IsGlob(pattern) ? Expand(path) : Exists(path) ? [path] : [];
            if (found.Length > 0)
            {
                return found;
            }
        }

        return [];
    }

    public static bool IsGlob(string pattern) => pattern.AsSpan().IndexOfAny('*', '?', '[') >= 0;

    private bool Exists(string path) => _dump?.ContainsKey(path) == true || File.Exists(path);

    /// <summary>As glob(3) does it: a dot at the begin of a name is matched by a dot alone.</summary>
    private static Regex ToRegex(string pattern)
    {
        string text = LeadingWildcard().Replace(Regex.Escape(pattern), "(?!\\.)");
        return new Regex($"^{text
            .Replace("\\*", "[^/]*", StringComparison.Ordinal)
            .Replace("\\?", "[^/]", StringComparison.Ordinal)
            .Replace("\\[!", "[^", StringComparison.Ordinal)
            .Replace("\\[", "[", StringComparison.Ordinal)}$");
    }

    private string[] Expand(string pattern)
    {
        Regex glob = ToRegex(pattern);
        if (_dump is not null)
        {
            return [.. _dump.Keys.Where(path => glob.IsMatch(path)).Order(StringComparer.Ordinal)];
        }

        // From the last directory without a wildcard on.
        string root = pattern[..pattern.AsSpan().IndexOfAny('*', '?', '[')];
        root = root[..(root.LastIndexOf('/') + 1)];
        return Directory.Exists(root)
            ? [.. Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories).Where(path => glob.IsMatch(path))
                .Order(StringComparer.Ordinal)]
            : [];
    }

    /// <summary>The begin of a name in an escaped pattern, if a wildcard stands there.</summary>
    [GeneratedRegex(@"(?<=^|/)(?=\\[*?[])")]
    private static partial Regex LeadingWildcard();

    [GeneratedRegex(@"^# configuration file (.+):\r?\n", RegexOptions.Multiline)]
    private static partial Regex FileHead();
}
