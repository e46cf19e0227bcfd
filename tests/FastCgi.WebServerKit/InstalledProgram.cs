namespace FastCgi.WebServerKit;

/// <summary>Where a program of the system is, and what to do where it is not.</summary>
internal static class InstalledProgram
{
    /// <summary>An ordinary user's PATH lacks the directories that Debian installs web servers in.</summary>
    private static readonly string[] _furtherDirectories = ["/usr/local/sbin", "/usr/sbin"];

    /// <summary>The program's path. Missing, it fails the test on a build machine and skips it elsewhere.</summary>
    public static string Find(string name)
    {
        var directories = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        var found = directories.Concat(_furtherDirectories)
            .Select(directory => Path.Combine(directory, name))
            .FirstOrDefault(File.Exists);

        Require(found is not null, IsMissing(name));
        return found!;
    }

    /// <summary>A file that a program loads. Missing, it fails the test on a build machine and skips it elsewhere.</summary>
    public static void RequireFile(string path) => Require(File.Exists(path), IsMissing(path));

    /// <summary>What the test needs of the machine. Without it, it fails on a build machine and is skipped elsewhere.</summary>
    public static void Require(bool isThere, string missing)
    {
        if (!isThere && Environment.GetEnvironmentVariable("CI") == "true")
        {
            Assert.Fail(missing);
        }

        Assert.SkipUnless(isThere, missing);
    }

    private static string IsMissing(string name) => $"{name} is missing: 'bash tests/run' installs it, or says how.";
}
