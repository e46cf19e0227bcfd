namespace FastCgi.WebServerTests.Harness;

/// <summary>The checked-out sources that this test was built from.</summary>
internal static class Repository
{
    private const string Mark = "FastCgiServer.sln";

    public static string Root { get; } = FindRoot();

    /// <summary>A file for people to look at after the run, which git ignores.</summary>
    public static string Artifact(string name) =>
        Path.Combine(Directory.CreateDirectory(Path.Combine(Root, "artifacts")).FullName, name);

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
