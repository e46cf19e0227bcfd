namespace FastCgi.WebServerTests.Harness;

/// <summary>The checked-out sources that this test was built from.</summary>
internal static class Repository
{
    private const string Mark = "FastCgiServer.sln";

    public static string Root { get; } = FindRoot();

    /// <summary>A file for people to look at after the run, which git ignores.</summary>
    public static string Artifact(string name) =>
        Path.Combine(Directory.CreateDirectory(Path.Combine(Root, "artifacts")).FullName, name);

    /// <summary>The program of a sample that was built with this test, in the same configuration.</summary>
    public static string BuiltSample(string name)
    {
        // .../bin/Release/net10.0
        var framework = new DirectoryInfo(AppContext.BaseDirectory);
        var built = Path.Combine(Root, "samples", name, "bin", framework.Parent!.Name, framework.Name, $"{name}.dll");
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
