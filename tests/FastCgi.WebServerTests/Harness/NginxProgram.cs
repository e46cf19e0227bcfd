namespace FastCgi.WebServerTests.Harness;

/// <summary>Where nginx is, and what to do where it is not.</summary>
internal static class NginxProgram
{
    private const string Missing = "nginx is missing: 'bash tests/run' installs it, or says how.";

    /// <summary>An ordinary user's PATH lacks the directories that Debian installs nginx in.</summary>
    private static readonly string[] _furtherDirectories = ["/usr/local/sbin", "/usr/sbin"];

    public static string Find()
    {
        var directories = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        var found = directories.Concat(_furtherDirectories)
            .Select(directory => Path.Combine(directory, "nginx"))
            .FirstOrDefault(File.Exists);

        if (found is null && Environment.GetEnvironmentVariable("CI") == "true")
        {
            Assert.Fail(Missing);
        }

        Assert.SkipWhen(found is null, Missing);
        return found!;
    }
}
