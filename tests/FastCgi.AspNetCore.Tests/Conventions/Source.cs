namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>The source files of the repository.</summary>
internal static class Source
{
    private static readonly ConcurrentDictionary<string, (string Path, string Text)[]> s_texts = new();

    public static string Root { get; } = FindRoot();

    /// <summary>Every C# file below a folder of the repository, without what a build leaves there.</summary>
    public static IEnumerable<string> Files(string folder)
    {
        var directory = Path.Combine(Root, folder);
        return Directory.Exists(directory)
            ? Directory.EnumerateFiles(directory, "*.cs", SearchOption.AllDirectories)
                .Where(static path => !path.Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj"))
                .Order(StringComparer.Ordinal)
            : [];
    }

    /// <summary>The same files with their text.</summary>
    public static IEnumerable<(string Path, string Text)> Texts(string folder) =>
        s_texts.GetOrAdd(
            folder, static below => [.. Files(below).Select(static path => (Relative(path), File.ReadAllText(path)))]);

    /// <summary>The text of any file of the repository.</summary>
    public static string Read(string path) => File.ReadAllText(Path.Combine(Root, path));

    /// <summary>Fails with all of the text that the page must have.</summary>
    public static void AssertUpToDate(string page, string text)
    {
        if (text != Read(page))
        {
            Assert.Fail($"{page} is not up to date. It must be:\n{text}");
        }
    }

    public static string Relative(string path) =>
        Path.GetRelativePath(Root, path).Replace(Path.DirectorySeparatorChar, '/');

    /// <summary>From this file upwards, or from where the tests run when the sources were built elsewhere.</summary>
    private static string FindRoot([CallerFilePath] string thisFile = "")
    {
        foreach (var start in (string[])[Path.GetDirectoryName(thisFile) ?? "", AppContext.BaseDirectory])
        {
            for (var at = new DirectoryInfo(start.Length == 0 ? "." : start); at is not null; at = at.Parent)
            {
                if (File.Exists(Path.Combine(at.FullName, "FastCgiServer.sln")))
                {
                    return at.FullName;
                }
            }
        }

        throw new InvalidOperationException("The sources were not found: the tests do not run in the repository.");
    }
}

/// <summary>Names every violation of a rule: xunit shows only the beginning of a collection or a text.</summary>
internal static class Rule
{
    public static void Holds(IEnumerable<string?> violations)
    {
        var all = violations.ToList();
        if (all.Count > 0)
        {
            Assert.Fail(string.Join(Environment.NewLine, all));
        }
    }
}
