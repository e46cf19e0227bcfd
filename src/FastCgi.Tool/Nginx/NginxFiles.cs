using System.Text.RegularExpressions;

namespace FastCgi.Tool.Nginx;

/// <summary>
/// The source of included files: the disk, or the output of <c>nginx -T</c>, which contains them one after the other.
/// </summary>
internal sealed partial class NginxFiles
{
    /// <summary>The folders of nginx's files, if the main file is elsewhere.</summary>
    private static readonly string[] s_usualPrefixes = ["/etc/nginx", "/usr/local/nginx/conf"];

    private readonly Dictionary<string, (string Text, string? Complaint)> _texts = new(StringComparer.Ordinal);
    private readonly bool _isDump;
    private readonly string[] _prefixes;

    private NginxFiles(string main, bool isDump, string[] usualPrefixes)
    {
        Main = main;
        _isDump = isDump;
        _prefixes = [.. Ancestors(main), .. usualPrefixes];
    }

    /// <summary>The name of the main file.</summary>
    public string Main { get; }

    /// <summary>True if nginx itself has printed the files, and so has found no mistake in them.</summary>
    public bool IsAccepted { get; private init; }

    /// <summary>Files on the disk, beginning with a main file.</summary>
    public static NginxFiles OnDisk(string path, string[]? usualPrefixes = null) =>
        new(Path.GetFullPath(path), isDump: false, usualPrefixes ?? s_usualPrefixes);

    /// <summary>A text: the output of <c>nginx -T</c>, or one file.</summary>
    public static NginxFiles Of(string text, string name)
    {
        MatchCollection heads = FileHead().Matches(text);
        var files = new NginxFiles(heads.Count == 0 ? name : heads[0].Groups[1].Value, isDump: true, s_usualPrefixes)
        {
            IsAccepted = heads.Count > 0,
        };
        if (heads.Count == 0)
        {
            files._texts.Add(name, (text, null));
        }

        for (int i = 0; i < heads.Count; i++)
        {
            int begin = heads[i].Index + heads[i].Length;
            int end = i + 1 < heads.Count ? heads[i + 1].Index : text.Length;
            files._texts.TryAdd(heads[i].Groups[1].Value, (text[begin..end], null));
        }

        return files;
    }

    /// <summary>The text, and a complaint if nginx misreads it. If it can read nothing, the text is empty.</summary>
    public (string Text, string? Complaint) Read(string path)
    {
        if (!_texts.TryGetValue(path, out (string Text, string? Complaint) read))
        {
            read = Decode(File.ReadAllBytes(path));
            _texts.Add(path, read);
        }

        return read;
    }

    /// <summary>The files of an include, in nginx's order; none if there is no such file.</summary>
    public IReadOnlyList<string> Find(string pattern)
    {
        foreach (string path in PlacesOf(pattern))
        {
            string[] found = IsGlob(pattern) ? Expand(path) : Exists(path) ? [path] : [];
            if (found.Length > 0)
            {
                return found;
            }
        }

        return [];
    }

    /// <summary>
    /// The possible paths of an include. nginx resolves them relative to the folder of nginx.conf, which is one folder
    /// above that of a site's file.
    /// </summary>
    public IEnumerable<string> PlacesOf(string pattern) =>
        Path.IsPathRooted(pattern) ? [pattern] : _prefixes.Select(prefix => Path.Combine(prefix, pattern)).Distinct();

    public static bool IsGlob(string pattern) => pattern.AsSpan().IndexOfAny('*', '?', '[') >= 0;

    private static IEnumerable<string> Ancestors(string file)
    {
        for (string? folder = Path.GetDirectoryName(file); folder is not null; folder = Path.GetDirectoryName(folder))
        {
            yield return folder;
        }
    }

    private static (string Text, string? Complaint) Decode(byte[] bytes)
    {
        if (bytes is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..]
            || bytes.AsSpan(0, Math.Min(bytes.Length, 4)).Contains((byte)0))
        {
            return ("", "the file is UTF-16, of which nginx reads nothing");
        }

        bool hasMark = bytes is [0xEF, 0xBB, 0xBF, ..];
        return (
            Encoding.UTF8.GetString(bytes.AsSpan(hasMark ? 3 : 0)),
            hasMark
                ? "the file begins with a byte order mark (BOM), which nginx takes for a part of the first word"
                : null);
    }

    private bool Exists(string path) =>
        (_isDump && _texts.ContainsKey(path)) || File.Exists(path) || Directory.Exists(path);

    /// <summary>As glob(3): one folder after the other, without those that cannot be read.</summary>
    private string[] Expand(string pattern)
    {
        string[] segments = pattern.Split('/', StringSplitOptions.RemoveEmptyEntries);
        if (_isDump)
        {
            Regex[] globs = [.. segments.Select(ToRegex)];
            return
            [
                .. _texts.Keys
                    .Where(path => path.Split('/', StringSplitOptions.RemoveEmptyEntries) is var names
                        && names.Length == globs.Length
                        && globs.Zip(names).All(static pair => pair.First.IsMatch(pair.Second)))
                    .Order(StringComparer.Ordinal),
            ];
        }

        IEnumerable<string> paths = [pattern.StartsWith('/') ? "/" : ""];
        foreach (string segment in segments)
        {
            paths = IsGlob(segment)
                ? paths.SelectMany(folder => Matching(folder, ToRegex(segment)))
                : paths.Select(folder => Path.Combine(folder, segment)).Where(Path.Exists);
        }

        return [.. paths.Order(StringComparer.Ordinal)];
    }

    private static IEnumerable<string> Matching(string folder, Regex glob)
    {
        try
        {
            return Directory.Exists(folder)
                ? [.. Directory.EnumerateFileSystemEntries(folder)
                    .Where(path => glob.IsMatch(Path.GetFileName(path)))]
                : [];
        }
        catch (UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>A dot at the beginning of a name only matches a dot.</summary>
    private static Regex ToRegex(string segment)
    {
        var regex = new StringBuilder(segment[0] == '.' ? "^" : "^(?!\\.)");
        for (int i = 0; i < segment.Length; i++)
        {
            int close = segment[i] == '[' ? segment.IndexOf(']', Math.Min(i + 2, segment.Length)) : -1;
            if (close > 0)
            {
                string set = segment[(i + 1)..close].Replace("\\", "\\\\", StringComparison.Ordinal)
                    .Replace("[", "\\[", StringComparison.Ordinal);
                regex.Append('[').Append(set[0] == '!' ? $"^{set[1..]}" : set).Append(']');
                i = close;
            }
            else if (segment[i] == '\\' && i + 1 < segment.Length)
            {
                regex.Append(Regex.Escape(segment[++i].ToString()));
            }
            else
            {
                regex.Append(segment[i] switch
                {
                    '*' => ".*",
                    '?' => ".",
                    _ => Regex.Escape(segment[i].ToString()),
                });
            }
        }

        return new Regex(regex.Append('$').ToString(), RegexOptions.Singleline | RegexOptions.CultureInvariant);
    }

    [GeneratedRegex(@"^# configuration file (.+):\r?\n", RegexOptions.Multiline)]
    private static partial Regex FileHead();
}
