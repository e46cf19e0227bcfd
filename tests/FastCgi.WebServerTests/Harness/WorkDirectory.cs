namespace FastCgi.WebServerTests.Harness;

/// <summary>A directory that only we can enter, its path short enough for a socket; deleted at the end.</summary>
internal sealed class WorkDirectory : IDisposable
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>A unix socket's path may have 107 bytes, which a long TMPDIR would use up.</summary>
    private const string Parent = "/tmp";

    public WorkDirectory()
    {
        Path = System.IO.Path.Combine(Parent, $"fastcgi-test-{Guid.NewGuid():N}"[..24]);
        Directory.CreateDirectory(Path, OwnerOnly);
    }

    public string Path { get; }

    public string File(string name) => System.IO.Path.Combine(Path, name);

    public string Subdirectory(string name) => Directory.CreateDirectory(File(name)).FullName;

    public void Dispose()
    {
        try
        {
            Directory.Delete(Path, recursive: true);
        }
        catch (DirectoryNotFoundException)
        {
        }
    }
}
