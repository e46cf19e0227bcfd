namespace FastCgi.WebServerKit;

/// <summary>The checked-out sources that this test was built from.</summary>
internal static class Repository
{
    private const string Mark = "FastCgiServer.sln";

    public static string Root { get; } = FindRoot();

    /// <summary>A file for people to look at after the run, which git ignores.</summary>
    public static string Artifact(string name)
    {
        var path = Path.Combine(Root, "artifacts", name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        return path;
    }

    /// <summary>Copies a folder of the sources, without what builds have left in it.</summary>
    /// <param name="to">May be missing.</param>
    public static void CopySources(string folder, string to)
    {
        Directory.CreateDirectory(to);
        var from = new DirectoryInfo(Path.Combine(Root, folder));
        foreach (var file in from.GetFiles())
        {
            file.CopyTo(Path.Combine(to, file.Name));
        }

        foreach (var below in from.GetDirectories().Where(static below => below.Name is not ("bin" or "obj")))
        {
            CopySources(Path.Combine(folder, below.Name), Path.Combine(to, below.Name));
        }
    }

    /// <summary>The program of a sample that was built with this test, in the same configuration.</summary>
    public static string BuiltSample(string name) => Built("samples", name);

    /// <summary>The same of a project beside this test that is no test itself.</summary>
    public static string BuiltTestProgram(string name) => Built("tests", name);

    private static string Built(string folder, string name)
    {
        // .../bin/Release/net10.0
        var framework = new DirectoryInfo(AppContext.BaseDirectory);
        var built = Path.Combine(Root, folder, name, "bin", framework.Parent!.Name, framework.Name, $"{name}.dll");
        Assert.True(File.Exists(built), $"{built} is missing: build the solution.");
        return built;
    }

    private static string FindRoot()
    {
        var directory = new DirectoryInfo(AppContext.BaseDirectory);
        while (directory is not null && !File.Exists(Path.Combine(directory.FullName, Mark)))
        {
            directory = directory.Parent;
        }

        return directory?.FullName
            ?? throw new InvalidOperationException($"No {Mark} above {AppContext.BaseDirectory}.");
    }
}
