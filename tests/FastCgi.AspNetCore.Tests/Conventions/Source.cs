using System.Runtime.CompilerServices;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>The source files of the repository.</summary>
internal static class Source
{
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
